package landing

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// checkProgress tells whether progress is of each source once, and forward.
func checkProgress(progress []Progress) error {
	sources := map[string]bool{}
	for _, p := range progress {
		if sources[p.Source] {
			return fmt.Errorf("offsets of %q are read twice", p.Source)
		}
		sources[p.Source] = true
		if !utf8.ValidString(p.Source) {
			return fmt.Errorf("the name of the ordered source %q is not UTF-8", p.Source)
		}
		if p.From < 0 || p.To < p.From {
			return fmt.Errorf("%q is read from offset %d to %d", p.Source, p.From, p.To)
		}
		if g := p.Gap; g != nil && (g.From < p.From || g.To > p.To || g.From >= g.To) {
			return fmt.Errorf("offsets [%d, %d) of %q are lost, which do not lie within [%d, %d)", g.From, g.To, p.Source, p.From, p.To)
		}
	}
	return nil
}

// followsProgress is a MovedError if the stream is elsewhere in a source than where
// it is read from.
func (s *State) followsProgress(progress []Progress) error {
	for _, p := range progress {
		if at, known := s.progress[p.Source]; known && at != p.From {
			return &MovedError{Source: p.Source, At: at, From: p.From}
		}
	}
	return nil
}

func (s *State) foldProgress(progress []Progress) {
	for _, p := range progress {
		s.progress[p.Source] = p.To
	}
}

// gapsOf lists those of progress that have a gap.
func gapsOf(progress []Progress) (gaps []Progress) {
	for _, p := range progress {
		if p.Gap != nil {
			gaps = append(gaps, p)
		}
	}
	return gaps
}

// Progress returns up to which offset, exclusive, an ordered source has been read; known
// is false if nothing of it has.
func (s *State) Progress(source string) (at int64, known bool) {
	at, known = s.progress[source]
	return at, known
}

// Progress reads on, and returns up to which offset, exclusive, the stream has read
// an ordered source; known is false if it has read nothing of it.
func (s *Stream) Progress(ctx context.Context, source string) (at int64, known bool, err error) {
	if err := s.Refresh(ctx); err != nil {
		return 0, false, err
	}
	s.View(func(state *State) { at, known = state.Progress(source) })
	return at, known, nil
}
