package sweep

import (
	"context"
	"slices"
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

// doomed is a file that is to go.
type doomed struct {
	id        string
	condemned bool // it is condemned already
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
	s.found(o, verdict)
	if !verdict.goes() || s.options.DryRun {
		s.at.part.add(verdict, o.Size)
		return nil
	}
	s.at.batch = append(s.at.batch, doomed{key.ID, verdict == Condemned, o})
	if len(s.at.batch) < batchSize {
		return nil
	}
	return s.flush(ctx)
}

// proof looks at what may be left of a proof of the store.
func (s *sweeper) proof(ctx context.Context, o objstore.Object) error {
	if !isOld(o, s.now.Add(-max(s.options.Grace, proofsFor))) {
		return nil
	}
	s.found(o, Proof)
	if !s.options.DryRun {
		if err := s.store.Delete(ctx, o.Key); err != nil {
			return err
		}
	}
	s.report.Proofs.add(o.Size)
	return nil
}

// flush condemns what of the batch is not condemned yet, and deletes what is.
func (s *sweeper) flush(ctx context.Context) error {
	batch := s.at.batch
	s.at.batch = nil
	var ids []string
	for _, d := range batch {
		if !d.condemned {
			ids = append(ids, d.id)
		}
	}
	if len(ids) > 0 {
		condemned, err := s.at.owner.condemn(ctx, ids)
		if err != nil {
			return s.note(ctx, err)
		}
		now := make(map[string]bool, len(condemned))
		for _, id := range condemned {
			now[id] = true
		}
		for i, d := range batch {
			batch[i].condemned = d.condemned || now[d.id]
		}
	}
	return s.note(ctx, s.deleteAll(ctx, batch))
}

// deleteAll deletes what is condemned, the oldest first, and counts what went.
func (s *sweeper) deleteAll(ctx context.Context, batch []doomed) error {
	gone := make([]bool, len(batch))
	defer func() {
		for i, d := range batch {
			if gone[i] {
				s.at.part.Swept.add(d.Size)
			}
		}
	}()
	slices.SortFunc(batch, func(a, b doomed) int { return a.Modified.Compare(b.Modified) })
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(deleters)
	for i, d := range batch {
		if d.condemned {
			group.Go(func() error {
				err := s.store.Delete(ctx, d.Key)
				gone[i] = err == nil
				return err
			})
		}
	}
	return group.Wait()
}
