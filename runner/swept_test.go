package runner_test

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
)

// hasty is a store on which a sweep without a grace comes right after a published
// file was brought up, the first few times.
type hasty struct {
	objstore.Store
	t     *testing.T
	times atomic.Int64 // tasks publish at once
}

func (h *hasty) Upload(ctx context.Context, key, from string) error {
	err := h.Store.Upload(ctx, key, from)
	if err != nil || !strings.HasPrefix(key, "tables/") || h.times.Add(-1) < 0 {
		return err
	}
	table := manifests.Open(h.Store, "sales_hourly", manifests.Options{})
	reach, err := table.Reach(ctx, 0)
	if err != nil {
		h.t.Error(err)
	}
	id := strings.TrimSuffix(path.Base(key), ".parquet")
	if swept, err := table.Sweep(ctx, reach, manifests.Sweeping{Files: []string{id}, At: time.Now()}); err != nil || len(swept) != 1 {
		h.t.Errorf("swept %v, %v", swept, err)
	}
	return h.Delete(ctx, key)
}

func TestAResultWhoseFileWasSweptIsComputedAgain(t *testing.T) {
	for name, request := range map[string]runner.Request{
		"stream": stream, "rebuild": {Driver: manifests.DriverBackfill, Rebuild: true},
	} {
		t.Run(name, func(t *testing.T) {
			store := &hasty{Store: folder(t), t: t}
			store.times.Store(2)
			l := newLake(t, store)
			l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
			task := l.task(salesJob())
			generation, err := task.Register(t.Context(), manifests.DriverStream)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := task.Plan(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			report, err := task.Execute(t.Context(), plan, runner.Options{
				Driver: request.Driver, Generation: generation, Together: true, Rebuild: request.Rebuild, Parallel: 1,
			})
			if err != nil || report.Count(manifests.Swap) != 2 || len(report.Outcomes) != 2 {
				t.Fatalf("outcomes %+v, %v; want both partitions published, and told once", report.Outcomes, err)
			}
			if rows := l.rows(); len(rows) != 2 {
				t.Fatalf("rows %v", rows)
			}
		})
	}
}

func TestAResultThatIsSweptEveryTimeEndsInAnError(t *testing.T) {
	store := &hasty{Store: folder(t), t: t}
	store.times.Store(1000)
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	if _, err := execute(t.Context(), l.task(salesJob()), stream); !errors.Is(err, condemn.Err) {
		t.Fatalf("got %v, want condemn.Err", err)
	}
	if rows := l.rows(); len(rows) != 0 {
		t.Fatalf("published %v", rows)
	}
}
