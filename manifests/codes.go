package manifests

import (
	"cmp"
	"slices"

	"strandline/internal/digest"
)

// codes are the definitions of earlier generations, ascending, as far as something of
// a table is still the work of them and their parts are known. Of generations with one
// fingerprint the newest counts. Nobody may change them: with returns others.
type codes []Definition

// of returns the definition with a fingerprint.
func (c codes) of(fingerprint digest.Hash) (Definition, bool) {
	at := slices.IndexFunc(c, func(d Definition) bool { return d.Fingerprint == fingerprint })
	if at < 0 {
		return Definition{}, false
	}
	return c[at], true
}

// with returns the codes that are named, with more beside them.
func (c codes) with(more []Definition, named map[digest.Hash]bool) (kept codes) {
	for _, d := range append(slices.Clip(c), more...) {
		kept = slices.DeleteFunc(kept, func(old Definition) bool { return old.Fingerprint == d.Fingerprint })
		if named[d.Fingerprint] && len(d.Parts) > 0 {
			kept = append(kept, d)
		}
	}
	return kept
}

// named are the fingerprints of all that a state tells of, but for that of its current
// generation.
func (s *State) named() map[digest.Hash]bool {
	named := map[digest.Hash]bool{}
	for _, c := range s.partitions.chunks {
		c.addCodes(named)
	}
	for _, f := range s.failures {
		named[f.Fingerprint] = true
	}
	for _, c := range s.held {
		named[c.Receipt.Fingerprint] = true
	}
	for _, a := range s.aside {
		named[a.Fingerprint] = true
	}
	delete(named, s.definition.Fingerprint)
	return named
}

// keepCodes takes up what an edit replaces or brings back, and forgets what nothing
// names any more. An older state that is read has those that it names itself, so a
// rollback brings along what the newest has forgotten.
func (s *State) keepCodes(e *Edit, replaced Definition) {
	switch {
	case e.Define != nil:
		s.codes = s.codes.with([]Definition{replaced}, s.named())
	case e.Rollback != nil && len(e.Rollback.Codes) > 0:
		s.codes = s.codes.with(e.Rollback.Codes, s.named())
	}
}

// addCodes adds the fingerprints of a chunk.
func (c *chunk) addCodes(to map[digest.Hash]bool) {
	if c.packed != nil {
		for _, code := range c.packed.codes {
			to[code] = true
		}
		return
	}
	for _, r := range c.list {
		to[r.Fingerprint] = true
	}
}

// countCodes counts the receipts of a chunk by their fingerprints.
func (c *chunk) countCodes(to map[digest.Hash]int) {
	if p := c.packed; p != nil && p.code.Constant() { // as nearly always
		to[p.fingerprint(0)] += p.len
		return
	}
	for i := range c.len() {
		to[Published{c, i}.Fingerprint()]++
	}
}

// missing are the codes of receipts that a state lacks and an older one has.
func (c codes) missing(receipts []Receipt, old *Snapshot, current digest.Hash) (missing codes) {
	for _, r := range receipts {
		_, kept := c.of(r.Fingerprint)
		_, found := missing.of(r.Fingerprint)
		if d, known := old.Code(r.Fingerprint); known && !kept && !found && r.Fingerprint != current {
			missing = append(missing, d)
		}
	}
	return missing
}

// Code returns the definition of the generation, the newest if there are several, whose
// fingerprint something of the table has. None is known of one that was registered
// before definitions had parts, unless it is the current one.
func (s *Snapshot) Code(fingerprint digest.Hash) (Definition, bool) {
	if s.Definition.Generation > 0 && s.Definition.Fingerprint == fingerprint {
		return s.Definition, true
	}
	return s.codes.of(fingerprint)
}

// Share is how much of a table is the work of one code.
type Share struct {
	Generation  uint64      `json:"generation,omitempty"` // 0 where that is not recorded
	Fingerprint digest.Hash `json:"fingerprint"`
	Partitions  int         `json:"partitions"`
}

// Shares tells of each code how many of the published partitions are its work, by
// generation.
func (s *Snapshot) Shares() []Share {
	made := map[digest.Hash]int{}
	for _, c := range s.partitions.chunks {
		c.countCodes(made)
	}
	var shares []Share
	for fingerprint, partitions := range made {
		d, _ := s.Code(fingerprint)
		shares = append(shares, Share{d.Generation, fingerprint, partitions})
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), slices.Compare(a.Fingerprint[:], b.Fingerprint[:]))
	})
	return shares
}
