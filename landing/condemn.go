package landing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/log"
)

// condemnation is the body of a landing log entry by which a sweep condemns files
// that nothing names.
type condemnation condemn.Sentence

func (c *condemnation) follows(s *State) error {
	files := s.files()
	for _, id := range c.Files {
		if files[id] {
			return fmt.Errorf("condemns file %s, which the stream names", id)
		}
	}
	return nil
}

func (c *condemnation) fold(s *State) { s.condemned.Add(condemn.Sentence(*c)) }

func (c *condemnation) named() []string { return nil }

// files holds the ids of all files that the stream names: its segments, the
// files of its rejects and its archives.
func (s *State) files() map[string]bool {
	files := make(map[string]bool, len(s.segments))
	for _, segment := range s.segments {
		files[segment.ID] = true
	}
	for a := range s.withRejects() {
		for _, id := range a.RejectFiles {
			files[id] = true
		}
	}
	for _, a := range s.archives {
		files[a.ID] = true
	}
	return files
}

// checkFiles is condemn.Err if a change names a condemned file.
func (s *State) checkFiles(c change) error {
	for _, id := range c.named() {
		if err := s.condemned.Check(id); err != nil {
			return err
		}
	}
	return nil
}

// commit appends what decide makes of the newest state, as often as it takes to win
// a slot; nil is nothing to do. It is condemn.Err if that names files which a sweep
// condemned, or which were brought up too long before, from since on.
func (s *Stream) commit(ctx context.Context, since time.Time, decide func(*State) (*record, error)) error {
	_, err := s.follow.Commit(ctx, func(state *State) (any, error) {
		r, err := decide(state)
		if err != nil || r == nil {
			return nil, err
		}
		c, err := r.change()
		if err != nil {
			return nil, err
		}
		if len(c.named()) > 0 {
			err = condemn.CheckAge(since, s.opts.Now())
		}
		return r, errors.Join(err, state.checkFiles(c))
	})
	return err
}

// Files is what a stream's landing log said of its files when it was read.
type Files struct{ named, condemned map[string]bool }

// Names tells whether the stream names a file.
func (f *Files) Names(id string) bool { return f.named[id] }

// Condemned tells whether a sweep has condemned a file.
func (f *Files) Condemned(id string) bool { return f.condemned[id] }

// Files reads on, and returns what the log says of files; nil where there is no log.
// The stream may be declared in any way.
func (s *Stream) Files(ctx context.Context) (files *Files, err error) {
	if err := s.follow.Refresh(ctx); err != nil {
		return nil, fmt.Errorf("read the landing log of stream %s: %w", s.spec.Stream, err)
	}
	s.follow.View(func(state *State, head log.Head) {
		if head.Number > 0 {
			files = &Files{named: state.files(), condemned: state.condemned.Files()}
		}
	})
	return files, nil
}

// Condemn appends an entry that condemns files, at a time of the store's clock, so
// that they can be removed. Those that the stream names by now are left out. It
// returns the files that are condemned.
func (s *Stream) Condemn(ctx context.Context, ids []string, at time.Time) (condemned []string, err error) {
	err = s.commit(ctx, at, func(state *State) (*record, error) {
		condemned = nil
		files := state.files()
		for _, id := range ids {
			if !files[id] && !state.condemned.Has(id) {
				condemned = append(condemned, id)
			}
		}
		if len(condemned) == 0 {
			return nil, nil
		}
		return &record{Condemned: &condemnation{At: at, Files: condemned}}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("condemn files of stream %s: %w", s.spec.Stream, err)
	}
	return condemned, nil
}
