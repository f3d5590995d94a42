package audit_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/audit"
	"strandline/compaction"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/sweep"
)

// upkeep is what keeps a builder's lake small.
type upkeep struct {
	builder
	store *objstore.Memory
	table *manifests.Table
	files *localfile.Cache
}

func newUpkeep(t *testing.T) *upkeep {
	t.Helper()
	store := objstore.NewMemory()
	return &upkeep{
		builder: newBuilder(t, store), store: store,
		table: manifests.Open(store, salesJob.Name, manifests.Options{Log: often}),
		files: localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes),
	}
}

func (u *upkeep) compact(ctx context.Context) error {
	return (&compaction.Compactor{
		Stream: u.stream, Files: u.files, Limits: compaction.Limits{Target: 1 << 20, Growth: 2, Members: 4},
		Vouch: func(context.Context) error { return nil },
	}).Run(ctx)
}

// sweep has no grace, and keeps two versions.
func (u *upkeep) sweep(ctx context.Context) error {
	_, err := sweep.Run(ctx, u.store, sweep.Options{
		Now: time.Now, Log: often, Retention: func(string) manifests.Retention { return manifests.Retention{Versions: 2} },
	})
	return err
}

func (u *upkeep) expire(ctx context.Context) error {
	_, err := u.stream.Expire(ctx, landing.Retain{Bytes: 1}, time.Now(), func(s *landing.State) (landing.Position, error) { return s.Next(), nil })
	return err
}

func (u *upkeep) trim(ctx context.Context) error {
	_, ofStream := u.stream.Trim(ctx, 0)
	_, ofTable := u.table.Trim(ctx, 0)
	return errors.Join(ofStream, ofTable)
}

func (u *upkeep) rollBack(ctx context.Context) error {
	_, err := publish.Rollback(ctx, u.store, u.table, 6)
	return err
}

// kept is a lake after all kinds of upkeep.
func kept(t *testing.T) (*objstore.Memory, audit.Job) {
	t.Helper()
	u := newUpkeep(t)
	for i := range 9 {
		u.land(string(rune('a'+i)), i%2, 1+i%4)
		u.publish()
	}
	for _, step := range []func(context.Context) error{u.rollBack, u.compact, u.sweep, u.expire, u.sweep, u.trim} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	u.land("z", 1, 5)
	u.publish()
	return u.store, audit.Job{Job: salesJob, Fingerprint: u.task.Fingerprint()}
}

func TestUpkeepLeavesNoFault(t *testing.T) {
	store, job := kept(t)
	found, c := audited(t, store, true, job)
	if len(found) > 0 {
		t.Errorf("found %q, %+v", text(found), found[0])
	}
	left := taken(t, store)
	if c.Objects != len(left) || len(left.keys("landing/sales/trims/")) == 0 || len(left.keys("tables/sales_hourly/trims/")) == 0 {
		t.Errorf("upkeep left %q", left.keys(""))
	}
}

// A lost record of a trim is told as that alone, and a sweep writes it anew.
func TestALostRecordOfATrimIsToldAndMadeAnew(t *testing.T) {
	store, job := kept(t)
	for _, log := range []string{"landing/sales", "tables/sales_hourly"} {
		for _, record := range taken(t, store).keys(log + "/trims/") {
			if err := store.Delete(t.Context(), record); err != nil {
				t.Fatal(err)
			}
		}
		found, _ := audited(t, store, true, job)
		if len(found) != 1 || found[0].Name != "missing-trim" || found[0].Key != log+"/trims/" || found[0].Positions != nil {
			t.Errorf("%s without its records: found %q", log, text(found))
		}
		_, err := sweep.Run(t.Context(), store, sweep.Options{
			Now: time.Now, Log: often, Retention: func(string) manifests.Retention { return manifests.Retention{Versions: 9} },
		})
		if found, _ := audited(t, store, true, job); err != nil || len(found) > 0 {
			t.Errorf("%s after a sweep (%v): found %q", log, err, text(found))
		}
	}
}

// All that a lake does may go on while it is checked.
func TestWorkThatGoesOnIsNoFault(t *testing.T) {
	u := newUpkeep(t)
	u.land("first", 1, 1)
	u.publish()
	a := audit.Audit{
		Store: u.store, Files: localfile.New(u.store, t.TempDir(), 0), Deep: true, Parallel: 2,
		Jobs:  []audit.Job{{Job: salesJob, Fingerprint: u.task.Fingerprint()}},
		Start: func(int, string) {}, Step: func(int, string) {},
		Found: func(f audit.Fault) {
			if f.Level == audit.LevelFault {
				t.Errorf("found %+v", f)
			}
		},
	}
	var ended atomic.Bool
	var group errgroup.Group
	group.Go(func() error {
		for !ended.Load() {
			if _, err := a.Run(t.Context()); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range 25 {
		u.land(fmt.Sprint(i), i%2, 1+i%20)
		u.publish()
		for _, step := range []func(context.Context) error{u.compact, u.sweep, u.trim} {
			if err := step(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	ended.Store(true)
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}
