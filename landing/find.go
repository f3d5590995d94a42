package landing

import (
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// ArrivalsNamed lists what has landed under a name, in the order in which it did, as of
// the last Refresh. Of the archives it reads those that may hold such.
func (s *Stream) ArrivalsNamed(ctx context.Context, name string) (found []Arrival, err error) {
	name = KnownAs(name)
	for a, err := range s.arrivalsIn(ctx, func(x *archiveIndex) bool { return x.holdsName(name) }) {
		if err != nil {
			return nil, fmt.Errorf("look up what landed as %q in stream %s: %w", name, s.spec.Stream, err)
		}
		if a.Name == name {
			found = append(found, a)
		}
	}
	return found, nil
}

// ArrivalsOf lists what has landed of contents whose SHA-256 begins with hexadecimal
// digits, as of the last Refresh.
func (s *Stream) ArrivalsOf(ctx context.Context, digits string) (found []Arrival, err error) {
	for a, err := range s.arrivalsIn(ctx, func(*archiveIndex) bool { return true }) {
		if err != nil {
			return nil, fmt.Errorf("look up content %s in stream %s: %w", digits, s.spec.Stream, err)
		}
		if a.ByContent() && strings.HasPrefix(hex.EncodeToString(a.Digest[:]), strings.ToLower(digits)) {
			found = append(found, a)
		}
	}
	return found, nil
}

// arrivalsIn yields the arrivals of the archives that may hold what is looked for, and
// those that are in none, oldest first. With an error it ends.
func (s *Stream) arrivalsIn(ctx context.Context, may func(*archiveIndex) bool) iter.Seq2[Arrival, error] {
	return func(yield func(Arrival, error) bool) {
		archives, newest := s.landedArrivals()
		for _, archive := range archives {
			index, err := s.indexes.of(ctx, s, archive)
			if err == nil && !may(index) {
				continue
			}
			if err != nil {
				yield(Arrival{}, err)
				return
			}
			for _, span := range index.blocks {
				if !s.yieldBlock(ctx, archive, span, yield, false) {
					return
				}
			}
		}
		for _, a := range newest {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// NewestArrivals yields all that has landed, newest first, as of the last Refresh. It
// reads archives as it gets to them. With an error it ends.
func (s *Stream) NewestArrivals(ctx context.Context) iter.Seq2[Arrival, error] {
	return func(yield func(Arrival, error) bool) {
		archives, newest := s.landedArrivals()
		for _, a := range slices.Backward(newest) {
			if !yield(a, nil) {
				return
			}
		}
		for _, archive := range slices.Backward(archives) {
			index, err := s.indexes.of(ctx, s, archive)
			if err != nil {
				yield(Arrival{}, err)
				return
			}
			for _, span := range slices.Backward(index.blocks) {
				if !s.yieldBlock(ctx, archive, span, yield, true) {
					return
				}
			}
		}
	}
}

// yieldBlock yields the arrivals of a block, and tells whether to go on.
func (s *Stream) yieldBlock(ctx context.Context, a Archive, span archiveSpan, yield func(Arrival, error) bool, newestFirst bool) bool {
	arrivals, err := s.readBlock(ctx, a, span)
	if err != nil {
		yield(Arrival{}, err)
		return false
	}
	if newestFirst {
		slices.Reverse(arrivals)
	}
	for _, arrival := range arrivals {
		if !yield(arrival, nil) {
			return false
		}
	}
	return true
}

// landedArrivals are the archives of arrivals, and the arrivals that are in none, oldest first.
func (s *Stream) landedArrivals() (archives []Archive, newest []Arrival) {
	s.View(func(state *State) { archives, newest = state.Archives(), slices.Clip(state.arrivals) })
	return archives, newest
}
