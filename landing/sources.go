package landing

import (
	"iter"
	"strings"
)

// ProgressOf yields the ordered sources whose names begin with prefix, and up to which
// offset, exclusive, the stream has read each.
func (s *State) ProgressOf(prefix string) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for source, at := range s.progress {
			if strings.HasPrefix(source, prefix) && !yield(source, at) {
				return
			}
		}
	}
}
