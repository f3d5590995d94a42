package landing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// Archive is the body of a landing log entry by which the oldest arrivals of a
// stream leave its state for an object of their own, so that neither the state nor
// its checkpoints grow with all that ever landed. Archives are never changed, and
// nothing removes them: what has landed stays known for ever.
type Archive struct {
	ID     string      `json:"id"`
	Bytes  int64       `json:"bytes"`
	Digest digest.Hash `json:"digest"` // SHA-256 of the object's bytes
	// Index is where in the object its index starts, and IndexDigest the SHA-256
	// of the bytes from there to the end.
	Index       int64       `json:"index"`
	IndexDigest digest.Hash `json:"index_digest"`
	// First numbers the first of its arrivals; a stream's first one is 0.
	First    int64    `json:"first"`
	Arrivals int64    `json:"arrivals"`
	From     Position `json:"from"` // of its rows, inclusive
	To       Position `json:"to"`   // exclusive
	Rejects  int64    `json:"rejects"`
}

// archiveArrivals is how many arrivals an archive holds. It is made when the state
// has twice as many, so that the newest ones always are in the state.
const archiveArrivals = 8192

// check tells whether the archive may follow one that ends before arrival first and
// at position next.
func (a *Archive) check(first int64, next Position) error {
	if a.First != first || a.From != next || a.Arrivals <= 0 || a.To < a.From || a.Index <= 0 || a.Index >= a.Bytes {
		return fmt.Errorf("archive %s holds %d arrivals from %d on, of positions [%d, %d), want it to start at %d and position %d",
			a.ID, a.Arrivals, a.First, a.From, a.To, first, next)
	}
	return nil
}

// follows also holds the archive's numbers against the arrivals that it takes over.
func (a *Archive) follows(s *State) error {
	first, next := s.archived()
	if err := a.check(first, next); err != nil {
		return err
	}
	if s.ids[a.ID] {
		return fmt.Errorf("archive %s is named twice", a.ID)
	}
	if a.Arrivals > int64(len(s.arrivals)) {
		return fmt.Errorf("archive %s holds %d arrivals of %d", a.ID, a.Arrivals, len(s.arrivals))
	}
	to, rejects := totalOf(s.arrivals[:a.Arrivals])
	if a.To != to || a.Rejects != rejects {
		return fmt.Errorf("archive %s holds positions up to %d and %d rejects, its arrivals have %d and %d", a.ID, a.To, a.Rejects, to, rejects)
	}
	return nil
}

// totalOf returns where arrivals end, and how many rejects they have.
func totalOf(arrivals []Arrival) (to Position, rejects int64) {
	for _, a := range arrivals {
		to, rejects = a.To, rejects+a.Rejects
	}
	return to, rejects
}

func (a *Archive) named() []string { return []string{a.ID} }

func (a *Archive) fold(s *State) {
	for _, arrival := range s.arrivals[:a.Arrivals] {
		if len(s.RejectFiles(arrival)) > 0 {
			arrival.Version, arrival.Gaps, arrival.Sources, arrival.MoreSources = "", nil, nil, 0 // the archive has them
			s.rejected = append(s.rejected, arrival)
		}
	}
	s.ids[a.ID] = true
	s.archives = append(s.archives, *a)
	s.setArrivals(s.arrivals[a.Arrivals:]) // what comes next moves them to memory of their own, sooner or later
}

// archived returns how many arrivals are in archives, and up to which position.
func (s *State) archived() (arrivals int64, to Position) {
	if n := len(s.archives); n > 0 {
		return s.archives[n-1].First + s.archives[n-1].Arrivals, s.archives[n-1].To
	}
	return 0, 0
}

// Archives lists the archives that the stream names, oldest arrivals first.
func (s *State) Archives() []Archive { return s.archives[:len(s.archives):len(s.archives)] }

// ArchiveKey returns the object key of an archive of a stream's arrivals.
func ArchiveKey(stream, id string) string {
	return fmt.Sprintf("landing/%s/archive/%s.bin", stream, id)
}

// archive moves the oldest arrivals out of the state as long as it has very many.
// That another process does so at the same time is as good. Its error has nobody to
// go to: whoever lands next tries again.
func (s *Stream) archive(ctx context.Context) error {
	for {
		arrivals, a := s.archivable()
		if len(arrivals) == 0 {
			return nil
		}
		object, said := encodeArchive(arrivals)
		said.First, said.From = a.First, a.From
		if err := s.commitArchive(ctx, object, said); err != nil {
			return err
		}
	}
}

// archivable returns the arrivals that the next archive is to hold, none if there
// are too few, and where it starts.
func (s *Stream) archivable() (arrivals []Arrival, a Archive) {
	n := s.opts.ArchiveArrivals
	s.View(func(state *State) {
		if len(state.arrivals) >= 2*n {
			arrivals = state.arrivals[:n:n]
			a.First, a.From = state.archived()
		}
	})
	return arrivals, a
}

func (s *Stream) commitArchive(ctx context.Context, object []byte, a Archive) error {
	id, err := objstore.FreshID()
	if err != nil {
		return err
	}
	a.ID = id
	dir, err := s.opts.scratch()
	if err == nil {
		dir, err = os.MkdirTemp(dir, "archive-")
	}
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // scratch is swept at the next start if this fails
	path, key := filepath.Join(dir, a.ID), ArchiveKey(s.spec.Stream, a.ID)
	if err := os.WriteFile(path, object, 0o666); err != nil {
		return err
	}
	since := s.opts.Now()
	if err := objstore.Take(ctx, s.store, key, path); err != nil {
		return err
	}
	late := errors.New("another process was first")
	err = s.commit(ctx, since, func(state *State) (*record, error) {
		if first, _ := state.archived(); first != a.First {
			return nil, late
		}
		return &record{Archive: &a}, nil
	})
	if errors.Is(err, late) {
		_ = s.store.Delete(ctx, key) // no entry names it, and none ever will
	}
	return err
}
