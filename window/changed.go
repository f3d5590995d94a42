package window

import (
	"strings"

	"strandline/manifests"
)

// Change is how one part of a job's code differs between two codes.
type Change struct {
	Part string `json:"part"`
	Old  string `json:"old,omitempty"` // "" where the old code has no such part
	New  string `json:"new,omitempty"` // "" where the new code has none
	// Lines are how two texts of SQL differ, as lineDiff tells it.
	Lines []string `json:"lines,omitempty"`
}

// Changes tells what parts differ between two codes, in the order of the new one. It is
// empty where the parts of one are not recorded, or where they read the same.
func Changes(before, after manifests.Definition) (changes []Change) {
	if len(before.Parts) == 0 || len(after.Parts) == 0 {
		return nil
	}
	old, current := partsOf(before), partsOf(after)
	for _, p := range after.Parts {
		if value, had := old[p.Name]; !had || value != p.Value {
			changes = append(changes, change(p.Name, value, p.Value, before, after))
		}
	}
	for _, p := range before.Parts {
		if _, has := current[p.Name]; !has {
			changes = append(changes, change(p.Name, p.Value, "", before, after))
		}
	}
	return changes
}

func partsOf(d manifests.Definition) map[string]string {
	parts := map[string]string{}
	for _, p := range d.Parts {
		parts[p.Name] = p.Value
	}
	return parts
}

// change is that of one part. Texts of SQL are compared as they were written, but where
// that is not known or they were laid out anew, so that it shows more: then as the engine
// writes them.
func change(name, old, current string, before, after manifests.Definition) Change {
	c := Change{Part: name, Old: old, New: current}
	if name != PartSQL {
		return c
	}
	c.Lines = lineDiff(clauses(old), clauses(current))
	if before.SQL == "" || after.SQL == "" || before.SQL == after.SQL {
		return c
	}
	if written := lineDiff(before.SQL, after.SQL); differing(written) <= differing(c.Lines) {
		c.Old, c.New, c.Lines = before.SQL, after.SQL, written
	}
	return c
}

// differing counts the lines of a diff that only one of the texts has.
func differing(lines []string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, "+ ") || strings.HasPrefix(line, "- ") {
			n++
		}
	}
	return n
}
