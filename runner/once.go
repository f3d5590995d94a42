package runner

import (
	"slices"

	"strandline/internal/digest"
	"strandline/window"
)

// asked keeps those of the tasks that were there at the first call and are not
// settled: nothing came of their last try, if there was one, and they have the
// same input still. So it comes to an end while others go on landing.
func (f *follower) asked(tasks []window.Status) []window.Status {
	if f.wanted == nil {
		f.wanted = map[string]digest.Hash{}
		for _, s := range tasks {
			f.wanted[s.String()] = digest.Hash{}
		}
	}
	return slices.DeleteFunc(tasks, func(s window.Status) bool {
		tried, wanted := f.wanted[s.String()]
		return !wanted || tried != digest.Hash{} && tried != s.Input.Digest
	})
}

// tried notes what came of a partition's try with an input.
func (f *follower) tried(o Outcome, input digest.Hash) {
	name := o.Partition.String()
	if _, wanted := f.wanted[name]; wanted && !o.moved() {
		f.wanted[name] = input
	} else {
		delete(f.wanted, name)
	}
}
