package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// Reconciled is one partition's published rows beside those of a recompute.
type Reconciled struct {
	window.Status
	Counts
	Rows []RowDifference // the first few, in the order of the key
	Err  error           // why the two could not be compared, else nil
}

// Counts count rows by what became of them, left being the published ones and
// right those computed from head input by current code.
type Counts struct {
	Equal     int64 `json:"equal"`
	OnlyLeft  int64 `json:"only_left"`
	OnlyRight int64 `json:"only_right"`
	Changed   int64 `json:"changed"`
}

// Differ counts the rows that are not equal.
func (c Counts) Differ() int64 { return c.OnlyLeft + c.OnlyRight + c.Changed }

// Add adds up two counts.
func (c Counts) Add(d Counts) Counts {
	return Counts{c.Equal + d.Equal, c.OnlyLeft + d.OnlyLeft, c.OnlyRight + d.OnlyRight, c.Changed + d.Changed}
}

// Explained tells whether the partition is known to be behind, so that its
// rows may differ: it was never published, or data or code changed since.
func (r Reconciled) Explained() bool { return r.Receipt == nil || r.StaleData || r.StaleCode }

// OK tells whether published rows and recompute agree, or needn't yet.
func (r Reconciled) OK() bool { return r.Err == nil && (r.Differ() == 0 || r.Explained()) }

// RowDifference is one row that is not the same on both sides. Values are as
// SQL writes them, nil for NULL.
type RowDifference struct {
	Kind  string  `json:"kind"` // "only left", "only right" or "changed"
	Key   []Value `json:"key"`
	Left  []Value `json:"left,omitempty"` // all other columns, or those that changed
	Right []Value `json:"right,omitempty"`
}

// Value is one named value.
type Value struct {
	Column string  `json:"column"`
	Value  *string `json:"value"`
}

// ReconcileOptions say how a table is reconciled.
type ReconcileOptions struct {
	Parallel int
	Limit    int // rows shown of a partition
	// Done, if not nil, is told each partition as it is known. Calls never overlap.
	Done func(Reconciled)
}

// Reconcile recomputes the plan's partitions and holds the published rows
// against them, by key. What is published is what the plan's survey saw; where a sweep
// has removed that since it was replaced, it is what stands now. The
// error is of what stops everything; manifests.ErrNeedsRebuild where the job's
// key or partitions are not the table's any more.
func (t *Task) Reconcile(ctx context.Context, plan window.Plan, o ReconcileOptions) ([]Reconciled, error) {
	if err := errors.Join(t.agree(), t.comparable(ctx)); err != nil {
		return nil, err
	}
	out := make([]Reconciled, len(plan.Tasks))
	var telling sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Parallel))
	for i, s := range plan.Tasks {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r, err := t.reconcile(ctx, plan, s, o.Limit)
			if err == nil && errors.Is(r.Err, manifests.ErrExpired) {
				r, err = t.reconcileAnew(ctx, r, o.Limit)
			}
			if err != nil {
				return fmt.Errorf("reconcile partition %s of table %s: %w", s.Partition, t.table.Name(), err)
			}
			out[i] = r
			if o.Done != nil {
				telling.Lock()
				defer telling.Unlock()
				o.Done(r)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// comparable tells whether rows of the table and of the job can be told apart
// by the same key.
func (t *Task) comparable(ctx context.Context) error {
	snapshot, err := t.table.Snapshot(ctx)
	if err != nil {
		return err
	}
	d := snapshot.Definition
	if d.Generation == 0 || d.Grain == t.Job().Grain.String() && slices.Equal(d.Key, t.Job().Key) {
		return nil
	}
	return fmt.Errorf("table %s has the key [%s] and partitions by %s, the job now says [%s] and %s: %w", t.table.Name(),
		strings.Join(d.Key, ", "), d.Grain, strings.Join(t.Job().Key, ", "), t.Job().Grain, manifests.ErrNeedsRebuild)
}

func (t *Task) reconcile(ctx context.Context, plan window.Plan, s window.Status, limit int) (Reconciled, error) {
	out := Reconciled{Status: s}
	published, release, err := t.publishedFiles(ctx, s.Receipt)
	if err == nil {
		defer release()
		out.Err, err = t.unharmed(s.Receipt, published)
		err = t.lake.Files.Gone(err, published...)
	}
	if errors.Is(err, objstore.ErrNotFound) {
		out.Err, err = t.publishedGone(ctx, s.Receipt, err)
	}
	if out.Err != nil || err != nil {
		return out, err
	}
	result, err := t.recompute(ctx, plan, s)
	if err == nil {
		defer result.Remove()
		compared := out
		if err = t.compare(ctx, &compared, published, result.Files, limit); err == nil {
			return compared, nil
		}
		if gone := t.lake.Files.Gone(err, published...); errors.Is(gone, objstore.ErrNotFound) {
			out.Err, err = t.publishedGone(ctx, s.Receipt, gone)
			return out, err
		}
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return out, ctx.Err()
	case errors.Is(err, window.ErrJob), errors.Is(err, window.ErrResources), errors.Is(err, landing.ErrExpired), errors.Is(err, objstore.ErrNotFound):
		out.Err = err
		return out, nil
	}
	return out, err
}

// reconcileAnew is for a partition whose version was replaced and swept meanwhile: it
// looks once more, at what stands now.
func (t *Task) reconcileAnew(ctx context.Context, was Reconciled, limit int) (Reconciled, error) {
	plan, err := t.SurveyWithin(ctx, []window.Interval{was.Interval})
	if err != nil {
		return was, err
	}
	plan.LeaveOut()
	for _, s := range plan.Tasks {
		if s.Interval == was.Interval {
			return t.reconcile(ctx, plan, s, limit)
		}
	}
	return was, nil
}

// publishedFiles brings a partition's published files to this machine.
func (t *Task) publishedFiles(ctx context.Context, r *manifests.Receipt) (paths []string, release func(), err error) {
	if r == nil {
		return nil, func() {}, nil
	}
	var files []localfile.File
	for _, f := range r.Files { // what is wrong with them is told by unharmed
		files = append(files, localfile.File{Key: manifests.DataKey(t.table.Name(), r.Partition, f.ID)})
	}
	return t.lake.Files.Fetch(ctx, files)
}

// publishedGone tells why published files are not there: they are lost, or others
// published the partition anew and a sweep removed them.
func (t *Task) publishedGone(ctx context.Context, r *manifests.Receipt, found error) (why, err error) {
	for _, f := range r.Files {
		err := t.stillKept(ctx, f.ID)
		if errors.Is(err, manifests.ErrExpired) {
			return fmt.Errorf("a published file was removed: %w", err), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return fmt.Errorf("a published file is gone: %w", found), nil
}

// stillKept reads the table on: manifests.ErrExpired where no version that is kept names
// the file, so that a sweep may remove it.
func (t *Task) stillKept(ctx context.Context, file string) error {
	now, err := t.table.Snapshot(ctx)
	if err != nil {
		return err
	}
	reach, err := t.table.Reach(ctx, now.Oldest)
	if err != nil || reach.Names(file) {
		return err
	}
	return fmt.Errorf("table %s has no version any more that names it, now that it is at version %d: %w; look again", t.table.Name(), now.Version, manifests.ErrExpired)
}

// unharmed tells what is wrong with published files before the engine reads
// them, which would blame itself.
func (t *Task) unharmed(r *manifests.Receipt, paths []string) (harm, err error) {
	for i, path := range paths {
		fault, err := publish.OtherBytes(path, r.Files[i])
		if err != nil {
			return nil, err
		}
		if fault != "" {
			return fmt.Errorf("%s %s", manifests.DataKey(t.table.Name(), r.Partition, r.Files[i].ID), fault), nil
		}
	}
	return nil, nil
}
