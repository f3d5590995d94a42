package runner_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/publish"
	"strandline/runner"
	"strandline/window"
)

// newSegment is the path of a segment file that is not among the known.
func newSegment(t *testing.T, store objstore.Store, known []string) string {
	t.Helper()
	listed, err := store.List(t.Context(), "landing/sales/data/", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range listed {
		if path := store.(objstore.Local).LocalPath(o.Key); !slices.Contains(known, path) {
			return path
		}
	}
	t.Fatal("no segment landed")
	return ""
}

func TestADamagedSegmentIsNeverPublishedAndStopsNoOtherPartition(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"lost":      os.Remove,
		"cut short": func(path string) error { return os.Truncate(path, 200) },
		"a bit flipped": func(path string) error {
			data, err := os.ReadFile(path)
			data[len(data)/2] ^= 4
			return errors.Join(err, os.WriteFile(path, data, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := folder(t)
			l := newLake(t, store)
			l.land("a", sale{day(1), "1", "x", 1})
			segment := newSegment(t, store, nil)
			l.land("b", sale{day(2), "2", "x", 2})
			whole, err := os.ReadFile(segment)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(segment); err != nil {
				t.Fatal(err)
			}
			report := l.run(l.task(salesJob()), stream)
			failed := report.Failed()
			if len(failed) != 1 || failed[0].Partition.String() != "2026-03-01" || !errors.Is(failed[0].Err, window.ErrResources) {
				t.Fatalf("got %+v, want 2026-03-01 failed", report.Outcomes)
			}
			if got, want := l.rows(), []string{"03-02T00 x 1 2"}; !slices.Equal(got, want) {
				t.Fatalf("published %v, want %v", got, want)
			}
			// Restored, it is computed as if nothing had been.
			if err := os.WriteFile(segment, whole, 0o644); err != nil {
				t.Fatal(err)
			}
			l.run(l.task(salesJob()), stream)
			if got, want := l.rows(), []string{"03-01T00 x 1 1", "03-02T00 x 1 2"}; !slices.Equal(got, want) {
				t.Fatalf("after it was restored %v, want %v", got, want)
			}
		})
	}
}

func TestALandingLogThatLostEntriesIsNoticed(t *testing.T) {
	for name, n := range map[string]int{"up to the same position": 1, "past it": 5} {
		t.Run(name, func(t *testing.T) { lostEntries(t, n) })
	}
}

// lostEntries lets a log lose its newest entry and land n other rows in its place.
func lostEntries(t *testing.T, n int) {
	store := folder(t)
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	l.land("b", sale{day(1), "2", "x", 2})
	l.run(l.task(salesJob()), stream)
	entry := store.(objstore.Local).LocalPath("landing/sales/log/00000000000000000002.json")
	if err := os.Remove(entry); err != nil {
		t.Fatal(err)
	}
	// A process that has read the entry itself notices at once.
	if err := l.stream.Refresh(t.Context()); !errors.Is(err, log.ErrCorrupt) {
		t.Fatalf("got %v, want log.ErrCorrupt", err)
	}
	later := newLake(t, store)
	if _, err := later.task(salesJob()).Plan(t.Context(), stream); !errors.Is(err, window.ErrHistory) {
		t.Fatalf("a head behind a receipt: %v, want ErrHistory", err)
	}
	// A backfill looks at what it is not asked for, too.
	if _, err := later.task(salesJob()).Plan(t.Context(), backfill(day(7), day(8))); !errors.Is(err, window.ErrHistory) {
		t.Fatalf("a backfill of other days: %v, want ErrHistory", err)
	}
	// Other rows at the same positions are no better.
	var others []sale
	for i := range n {
		others = append(others, sale{day(1), fmt.Sprint(3 + i), "x", 3})
	}
	later.land("c", others...)
	err := runner.Stream(t.Context(), []*runner.Task{newLake(t, store).task(salesJob())}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Once: true, Now: time.Now,
		Done: func(string, runner.Outcome) {}, Trouble: func(string, error) {},
	})
	if !errors.Is(err, window.ErrHistory) {
		t.Fatalf("other rows at positions that were read: %v, want ErrHistory", err)
	}
}

func TestALakeOnAPathOfPatternCharactersWorks(t *testing.T) {
	store, err := objstore.OpenFolder(filepath.Join(t.TempDir(), "a[b]*?"))
	if err != nil {
		t.Fatal(err)
	}
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	report := l.run(l.task(salesJob()), stream)
	if report.Count(manifests.Swap) != 1 {
		t.Fatalf("got %+v", report.Outcomes)
	}
	if got, want := l.rows(), []string{"03-01T00 x 1 1"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestARollbackDoesNotHideThatTheLandingLogLostEntries(t *testing.T) {
	store := folder(t)
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 1})
	l.run(l.task(salesJob()), stream)
	l.land("b", sale{day(1), "2", "x", 2})
	l.run(l.task(salesJob()), stream)
	if _, err := publish.Rollback(t.Context(), l.store, l.table, 2); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(store.(objstore.Local).LocalPath("landing/sales/log/00000000000000000002.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := newLake(t, store).task(salesJob()).Plan(t.Context(), stream); !errors.Is(err, window.ErrHistory) {
		t.Fatalf("got %v, want ErrHistory", err)
	}
}
