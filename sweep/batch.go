package sweep

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
)

// owner is a stream or a table, as its log tells of it.
type owner interface {
	names
	// condemn appends an entry that condemns files, and returns those that are
	// condemned now and may be deleted.
	condemn(ctx context.Context, ids []string) ([]string, error)
	// finish does what remains once all files were looked at.
	finish(ctx context.Context, part *Part) error
}

// place is the stream or table that a sweep is at.
type place struct {
	Key
	owner owner // nil where it has no log, or trouble
	part  Part
	batch []doomed
}

func (p *place) is(key Key) bool {
	return p != nil && p.Area == key.Area && p.Owner == key.Owner
}

// doomed is a file that is to be condemned and then deleted.
type doomed struct {
	id string
	objstore.Object
}

const (
	// batchSize is how many files one entry condemns.
	batchSize = 5000
	// deleters is how many objects are deleted at a time.
	deleters = 16
	// proofsFor is how long a proof of the store may take, whatever the grace.
	proofsFor = time.Hour
)

// judge looks at an object of the stream or table that s is at.
func (s *sweeper) judge(ctx context.Context, key Key, o objstore.Object) error {
	switch {
	case s.at.owner == nil && s.at.part.Trouble == "":
		s.found(o, Foreign)
		return nil
	case s.at.owner == nil || key.Kind != Data:
		return nil
	}
	verdict := judge(s.at.owner, key.ID, o, s.now.Add(-s.options.Grace))
	s.at.part.add(verdict, o.Size)
	s.found(o, verdict)
	switch {
	case s.options.DryRun:
	case verdict == Condemned:
		return s.note(ctx, s.store.Delete(ctx, o.Key))
	case verdict == Unnamed:
		s.at.batch = append(s.at.batch, doomed{key.ID, o})
		if len(s.at.batch) == batchSize {
			return s.flush(ctx)
		}
	}
	return nil
}

// proof looks at what may be left of a proof of the store.
func (s *sweeper) proof(ctx context.Context, o objstore.Object) error {
	if !isOld(o, s.now.Add(-max(s.options.Grace, proofsFor))) {
		return nil
	}
	s.report.Proofs.add(o.Size)
	s.found(o, Proof)
	if s.options.DryRun {
		return nil
	}
	return s.store.Delete(ctx, o.Key)
}

// flush condemns the files of the batch, and deletes those that are condemned.
func (s *sweeper) flush(ctx context.Context) error {
	batch := s.at.batch
	s.at.batch = nil
	if len(batch) == 0 {
		return nil
	}
	ids := make([]string, len(batch))
	for i, d := range batch {
		ids[i] = d.id
	}
	condemned, err := s.at.owner.condemn(ctx, ids)
	if err != nil {
		return s.note(ctx, err)
	}
	return s.note(ctx, s.deleteAll(ctx, batch, condemned))
}

func (s *sweeper) deleteAll(ctx context.Context, batch []doomed, condemned []string) error {
	goes := make(map[string]bool, len(condemned))
	for _, id := range condemned {
		goes[id] = true
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(deleters)
	for _, d := range batch {
		if goes[d.id] {
			group.Go(func() error { return s.store.Delete(ctx, d.Key) })
		}
	}
	return group.Wait()
}
