package manifests

import "slices"

// Repair brings new files for a receipt whose own were found lost or damaged.
// They hold the same rows.
type Repair struct {
	Standing Receipt // as the caller saw it, with the broken files
	Files    []File
}

// repair adds to the edit the receipt that stands with its new files. Where
// somebody has replaced it or its files meanwhile, there is nothing to repair.
func (s *State) repair(r Repair, edit *Edit) Verdict {
	current, published := s.partitions.get(r.Standing.Partition)
	if !published || !current.SameInput(r.Standing) || !current.SameOutput(r.Standing) || !slices.Equal(current.Files, r.Standing.Files) {
		return Unchanged
	}
	current.Files = r.Files
	edit.Repaired = append(edit.Repaired, current)
	return Repaired
}
