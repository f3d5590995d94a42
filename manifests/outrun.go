package manifests

import (
	"errors"
	"fmt"
)

// ErrOutrun says that a result of newer input was published while a rebuild
// ran, which would take it back.
var ErrOutrun = errors.New("newer input was published meanwhile: run it again, and stop the stream first if it goes on")

// outrun refuses a rebuild from read where something stands that has read more.
// Partitions of another grain can't be held against each other, so the whole
// table is.
func (s *State) outrun(read Positions) error {
	for r := range s.partitions.all() {
		if len(read.BehindOf(r.Positions)) > 0 {
			return fmt.Errorf("the rebuild has read up to %v, partition %s up to %v: %w", read, r.Partition, r.Positions, ErrOutrun)
		}
	}
	return nil
}
