package runner_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/sweep"
)

// removing is a process on a lake in a folder from whose hands files are taken: right
// after it has found the file of a key with the prefix, for the time that is given,
// remove is called. fired tells whether that time came.
func (l *lake) removing(prefix string, time int64, remove func(key string)) (other *lake, fired func() bool) {
	var n atomic.Int64
	other = l.on(storetest.Finding{Folder: l.store.(*objstore.Folder), After: func(key string) {
		if strings.HasPrefix(key, prefix) && n.Add(1) == time {
			remove(key)
		}
	}})
	must(l.t, other.stream.Refresh(l.t.Context())) // it does not know what comes
	return other, func() bool { return n.Load() >= time }
}

// mergeAndSweep merges all segments and removes those that were merged.
func (l *lake) mergeAndSweep(string) {
	before := l.segmentIDs()
	must(l.t, l.compactor(l.task(salesJob())).Run(l.t.Context()))
	if now := l.segmentIDs(); len(now) != 1 || now[0] == before[0] {
		l.t.Errorf("%v were merged into %v", before, now)
	}
	for _, id := range before {
		must(l.t, l.store.Delete(l.t.Context(), landing.SegmentKey("sales", id)))
	}
}

// mergeAndSweepBefore does so with the segments before the one of a key.
func (l *lake) mergeAndSweepBefore(key string) {
	segments := l.allSegments()
	n := slices.IndexFunc(segments, func(g landing.Segment) bool { return landing.SegmentKey("sales", g.ID) == key })
	if n < 2 {
		return
	}
	_, err := l.stream.Compact(l.t.Context(), localfile.New(l.store, l.dir, 0), segments[:n])
	must(l.t, err)
	for _, g := range segments[:n] {
		must(l.t, l.store.Delete(l.t.Context(), landing.SegmentKey("sales", g.ID)))
	}
}

// whatReadsSegments are things that read segments of a lake whose published rows are as
// they should be, and err where these can't be read or are others.
var whatReadsSegments = map[string]func(*lake) error{
	"backfill": func(l *lake) error {
		again := backfill(day(1), day(4))
		again.Again = true
		report := l.run(l.task(salesJob()), again)
		if n := len(report.Outcomes); report.Count(manifests.Unchanged) != n || n == 0 {
			return errors.New("not each partition is unchanged")
		}
		return nil
	},
	"verify": func(l *lake) error {
		task := l.task(salesJob())
		statuses, err := task.Published(l.t.Context(), nil, (*manifests.Snapshot).Receipts)
		must(l.t, err)
		results, err := task.Verify(l.t.Context(), statuses, runner.VerifyOptions{Parallel: 1, Seed: 1})
		for _, r := range results {
			if r.Finding != runner.Reproduced {
				return errors.New(string(r.Finding) + ": " + r.Unproved)
			}
		}
		return err
	},
	"reconcile": func(l *lake) error {
		task := l.task(salesJob())
		again := backfill(day(1), day(4))
		again.Again = true
		plan, err := task.Plan(l.t.Context(), again)
		must(l.t, err)
		results, err := task.Reconcile(l.t.Context(), plan, runner.ReconcileOptions{Parallel: 1})
		for _, r := range results {
			err = errors.Join(err, r.Err)
			if r.Differ() > 0 {
				err = errors.Join(err, errors.New("other rows"))
			}
		}
		return err
	},
	"replay": func(l *lake) error {
		found, err := l.task(salesJob()).HoursOf(l.t.Context(), l.stream, landing.Rows{
			At: []landing.Range{{From: 0, To: l.stream.Next()}}, Source: &landing.RowSource{Match: ".*"},
		})
		if err == nil && len(found.Hours) == 0 {
			err = errors.New("no hours")
		}
		return err
	},
}

// A sweep takes a merged segment away when its path is handed out and nobody has opened
// it yet, whichever of the readings that is.
func TestSegmentsThatAreSweptOnceTheyAreFoundAreReadWhereTheirRowsAreNow(t *testing.T) {
	template := folder(t)
	published(t, template)
	for name, read := range whatReadsSegments {
		for which, sweeps := range map[string]func(*lake, string){"all": (*lake).mergeAndSweep, "those before": (*lake).mergeAndSweepBefore} {
			t.Run(name+" "+which, func(t *testing.T) {
				for time := int64(1); time <= 5; time++ {
					l := newLake(t, copied(t, template))
					must(t, l.stream.Refresh(t.Context()))
					reader, fired := l.removing("landing/", time, func(key string) { sweeps(l, key) })
					if err := read(reader); err != nil {
						t.Fatalf("swept at finding %d: %v", time, err)
					}
					if !fired() {
						if time == 1 {
							t.Fatal("no segment was found")
						}
						return
					}
				}
			})
		}
	}
}

func TestASegmentThatIsLostOnceItIsFoundIsToldAsLost(t *testing.T) {
	for name, read := range whatReadsSegments {
		if name == "backfill" { // of which the outcome tells
			continue
		}
		l := published(t, folder(t))
		reader, _ := l.removing("landing/", 1, func(string) {
			for _, id := range l.segmentIDs() {
				must(t, l.store.Delete(t.Context(), landing.SegmentKey("sales", id)))
			}
		})
		if err := read(reader); err == nil || !strings.Contains(err.Error(), objstore.ErrNotFound.Error()) {
			t.Errorf("%s: got %v, want that it is not there", name, err)
		}
	}
}

// publishAndSweep publishes the first day anew and removes what was published before.
func (l *lake) publishAndSweep() {
	end, err := l.stream.End(l.t.Context())
	must(l.t, err)
	late := fmt.Sprint("late ", end)
	l.land(late, sale{day(1), late, "x", 1})
	l.run(l.task(salesJob()), stream)
	newest := func(string) manifests.Retention { return manifests.Retention{Versions: 1} }
	_, err = sweep.Run(l.t.Context(), l.store, sweep.Options{Retention: newest})
	must(l.t, err)
}

// removingTables is a process from whose hands published files are taken, as often as is said.
func (l *lake) removingTables(times int64, remove func(l *lake)) *lake {
	left := times
	return l.on(storetest.Finding{Folder: l.store.(*objstore.Folder), After: func(key string) {
		if left > 0 && strings.HasPrefix(key, "tables/") {
			left--
			remove(l)
		}
	}})
}

// What a sweep takes away of an older version is no file that is missing; what no sweep
// took away is. What stands now is looked at once instead.
func TestPublishedFilesThatAreSweptOnceTheyAreFoundAreNotCalledLost(t *testing.T) {
	for name, c := range map[string]struct {
		remove func(l *lake)
		times  int64
		want   string
	}{
		"swept":       {(*lake).publishAndSweep, 1, "reproduced|<nil>"},
		"swept twice": {(*lake).publishAndSweep, 2, "expired"},
		"lost":        {func(l *lake) { must(l.t, os.Remove(l.file("2026-03-01"))) }, 1, "missing|gone"},
	} {
		l := published(t, folder(t))
		reader := l.removingTables(c.times, c.remove)
		task := reader.task(salesJob())
		statuses, err := task.Published(t.Context(), nil, (*manifests.Snapshot).Receipts)
		must(t, err)
		results, err := task.Verify(t.Context(), statuses[:1], runner.VerifyOptions{Parallel: 1})
		must(t, err)
		if got := fmt.Sprint(results[0].Finding, results[0].Differences, results[0].Unproved); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: verified as %s, want %s", name, got, c.want)
		}

		l = published(t, folder(t))
		reader = l.removingTables(c.times, c.remove)
		task = reader.task(salesJob())
		plan, err := task.Survey(t.Context())
		must(t, err)
		plan.Tasks = plan.Tasks[:1]
		compared, err := task.Reconcile(t.Context(), plan, runner.ReconcileOptions{Parallel: 1})
		must(t, err)
		if got := compared[0].Err; !regexp.MustCompile(c.want).MatchString(fmt.Sprint(got)) {
			t.Errorf("%s: reconciled as %v, want %s", name, got, c.want)
		}
	}
}
