package manifests

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrOutrun says that a result of newer input was published while a rebuild
// ran, which would take it back.
var ErrOutrun = errors.New("newer input was published meanwhile: run it again, and stop the stream first if it goes on")

// outrun refuses a rebuild from read where something stands that has read more.
// Partitions of another grain can't be held against each other, so the whole
// table is.
func (s *State) outrun(read Positions) error {
	for _, name := range slices.Sorted(maps.Keys(s.partitions)) {
		if stands := s.partitions[name].Positions; len(read.BehindOf(stands)) > 0 {
			return fmt.Errorf("the rebuild has read up to %v, partition %s up to %v: %w", read, name, stands, ErrOutrun)
		}
	}
	return nil
}
