package landing

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// Arrived counts what has landed, ever, and the rejects of it.
func (s *State) Arrived() (arrivals, rejects int64) {
	for _, a := range s.archives {
		arrivals, rejects = arrivals+a.Arrivals, rejects+a.Rejects
	}
	_, newest := totalOf(s.arrivals)
	return arrivals + int64(len(s.arrivals)), rejects + newest
}

// Arrivals calls fn with the arrivals that have rows at positions of [from, to), in
// the order in which they landed, as of the last Refresh; with those beside that
// have none, too. Only the archives that hold such are read, a block at a time. An
// error of fn ends it and is returned.
func (s *Stream) Arrivals(ctx context.Context, from, to Position, fn func(Arrival) error) error {
	archives, newest := s.landedArrivals()
	within := func(a Arrival) error {
		if a.To < from || a.From > to {
			return nil
		}
		return fn(a)
	}
	for _, archive := range archives {
		if archive.To < from || archive.From > to {
			continue
		}
		if err := s.scanArchive(ctx, archive, within); err != nil {
			return err
		}
	}
	for _, a := range newest {
		if err := within(a); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) scanArchive(ctx context.Context, a Archive, fn func(Arrival) error) error {
	index, err := s.indexes.of(ctx, s, a)
	if err != nil {
		return err
	}
	for _, span := range index.blocks {
		arrivals, err := s.readBlock(ctx, a, span)
		if err != nil {
			return err
		}
		for _, arrival := range arrivals {
			if err := fn(arrival); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Stream) readBlock(ctx context.Context, a Archive, span archiveSpan) ([]Arrival, error) {
	key := ArchiveKey(s.spec.Stream, a.ID)
	data, err := s.store.ReadRange(ctx, key, span.from, span.to-span.from)
	if err != nil {
		return nil, lostArchive(fmt.Errorf("read archive of arrivals: %w", err))
	}
	arrivals, err := decodeBlock(data, span)
	if err != nil {
		return nil, lostArchive(fmt.Errorf("archive of arrivals %s: %w", key, err))
	}
	return arrivals, nil
}

// archiveReaders is how many archives are read at a time.
const archiveReaders = 16

// archiveIndexes are the indexes of a stream's archives that this process has read.
// Only who lands something needs them.
type archiveIndexes struct {
	mu   sync.Mutex
	read map[string]*archiveIndex
}

func (x *archiveIndexes) of(ctx context.Context, s *Stream, a Archive) (*archiveIndex, error) {
	x.mu.Lock()
	index := x.read[a.ID]
	x.mu.Unlock()
	if index != nil {
		return index, nil
	}
	key := ArchiveKey(s.spec.Stream, a.ID)
	data, err := s.store.ReadRange(ctx, key, a.Index, a.Bytes-a.Index)
	if err != nil {
		return nil, lostArchive(fmt.Errorf("read archive of arrivals: %w", err))
	}
	if index, err = decodeIndex(data, a); err != nil {
		return nil, lostArchive(fmt.Errorf("archive of arrivals %s: %w", key, err))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.read[a.ID] = index
	return index, nil
}

// content is what may have landed before: by its identity, or as the version of a
// name, where it has one.
type content struct {
	id            Identity
	name, version string
}

// known is what a stream knew of a content when it was looked up.
type known struct {
	landed   bool   // it has
	as       string // by the name that it came under
	version  bool   // it has as that version of its name
	sameName bool   // something came under the name
	archives int    // how many of the state's archives were looked at

	onlyRejects int64 // how many came of it, where no row did
}

// landedBy says that an arrival has brought the content.
func (k *known) landedBy(a *Arrival) {
	k.landed, k.as = true, a.Name
	if a.Rows() == 0 {
		k.onlyRejects = a.Rejects
	}
}

// join adds what was known of the content elsewhere.
func (k *known) join(other known) {
	if other.landed {
		k.landed, k.as, k.onlyRejects = true, other.as, max(k.onlyRejects, other.onlyRejects)
	}
	k.version, k.sameName = k.version || other.version, k.sameName || other.sameName
}

// lookUp looks for a content in all that has landed, as of the last Refresh.
func (s *Stream) lookUp(ctx context.Context, c content) (k known, err error) {
	var archives []Archive
	s.View(func(state *State) {
		archives = state.Archives()
		k = state.lookUp(c)
	})
	k.archives = len(archives)
	if k.landed && (k.version || c.version == "") || c.isFresh() {
		return k, nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(archiveReaders)
	var mu sync.Mutex
	for _, a := range archives {
		group.Go(func() error {
			one, err := s.lookUpIn(ctx, a, c)
			mu.Lock()
			defer mu.Unlock()
			k.join(one)
			return err
		})
	}
	err = group.Wait()
	return k, err
}

// lostArchive says what to do about an archive that is not there or damaged: without it nobody
// knows what has landed.
func lostArchive(err error) error {
	if !errors.Is(err, objstore.ErrNotFound) && !errors.Is(err, log.ErrCorrupt) {
		return err
	}
	return log.FromCopy(err)
}

func (s *Stream) lookUpIn(ctx context.Context, a Archive, c content) (k known, err error) {
	index, err := s.indexes.of(ctx, s, a)
	if err != nil {
		return k, err
	}
	k.sameName = index.holdsName(c.name)
	if index.holdsVersion(c) {
		k.landed, k.as, k.version = true, c.name, true
	}
	for _, span := range index.mayHold(c.id) {
		arrivals, err := s.readBlock(ctx, a, span)
		if err != nil {
			return k, err
		}
		for _, arrival := range arrivals {
			if arrival.Identity == c.id {
				k.landedBy(&arrival)
			}
		}
	}
	return k, nil
}

// isFresh tells that no arrival can be known as this content.
func (c content) isFresh() bool { return c.id.Size == unknownSize && c.version == "" }

// lookUp looks among the arrivals that are in no archive.
func (s *State) lookUp(c content) (k known) {
	if a, landed := s.landedAs(c.id); landed {
		k.landedBy(a)
	}
	if s.hasVersion(c) {
		k.landed, k.as, k.version = true, c.name, true
	}
	k.sameName = s.cameAs(c.name)
	return k
}
