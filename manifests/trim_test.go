package manifests

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// long is a table with so many versions, each but the first of one more day, and
// a checkpoint every ten.
func long(t *testing.T, versions Version) *objstore.Fault {
	t.Helper()
	store := objstore.NewFault(objstore.NewMemory(), nil)
	table := often(store)
	generation, err := table.Register(t.Context(), DriverStream, definition("c"))
	if err != nil {
		t.Fatal(err)
	}
	for n := Version(2); n <= versions; n++ {
		publish(t, table, generation, receipt(int(n), "i", "c", "r", int64(n)))
	}
	return store
}

func often(store objstore.Store) *Table {
	return Open(store, "t", Options{Log: log.Options{CheckpointEvery: 10}})
}

func TestAnOldVersionIsReadFromTheCheckpointBelowIt(t *testing.T) {
	store := long(t, 257)
	table := often(store)
	snapshot(t, table)
	before := store.Calls(objstore.OpRead)
	s, err := table.SnapshotAt(t.Context(), 194)
	if err != nil || s.Version != 194 || len(s.Receipts()) != 193 {
		t.Fatalf("got %+v, %v", s, err)
	}
	if n := store.Calls(objstore.OpRead) - before; n != 2+4 {
		t.Errorf("read %d objects, want the checkpoint, its entry and 4 entries", n)
	}
}

func TestTheNewestChangesAreReadAlone(t *testing.T) {
	store := long(t, 257)
	table := often(store)
	snapshot(t, table)
	before := store.Calls(objstore.OpRead)
	want := Version(257)
	for c, err := range table.Changes(t.Context()) {
		if err != nil || c.Version != want || len(c.Receipts) != 1 || c.Receipts[0].Partition != receipt(int(want), "i", "c", "r", 1).Partition {
			t.Fatalf("got %+v, %v, want version %d", c, err, want)
		}
		if want--; want == 250 {
			break
		}
	}
	if n := store.Calls(objstore.OpRead) - before; n > 40 {
		t.Errorf("read %d objects for 7 changes", n)
	}
}

func TestATrimmedTableTellsEveryVersionThatIsKept(t *testing.T) {
	store := long(t, 257)
	table := often(store)
	if done, err := table.Trim(t.Context(), 0); err != nil || done.Oldest != 1 {
		t.Fatalf("with every version kept: trimmed %+v, %v", done, err)
	}
	sweep(t, table, 231)
	planned, err := table.PlanTrim(t.Context(), 1, 0)
	if err != nil || len(planned.Entries) == 0 {
		t.Fatalf("planned %+v, %v", planned, err)
	}
	done, err := table.Trim(t.Context(), 0)
	if err != nil || done.Oldest != planned.Oldest || done.Oldest > 231 || done.Oldest == 1 {
		t.Fatalf("planned %+v, did %+v, %v", planned, done, err)
	}
	table = often(store)
	for version := Version(1); version <= 257; version++ {
		s, err := table.SnapshotAt(t.Context(), version)
		switch {
		case version < 231:
			if !errors.Is(err, ErrExpired) {
				t.Fatalf("version %d: got %v, want ErrExpired", version, err)
			}
		case err != nil || s.Version != version || len(s.Receipts()) != int(version)-1:
			t.Fatalf("version %d: %+v, %v", version, s, err)
		}
	}
	changes, err := history(t.Context(), table)
	if err != nil || len(changes) != 258-230 || changes[0].Version != 231 {
		t.Fatalf("the history has %d versions: %v", len(changes), err)
	}
	if _, err := table.Reach(t.Context(), 231); err != nil {
		t.Fatal(err)
	}
}

// A trimmed log without the checkpoint that its kept versions are folded from is damaged,
// and says which object is lost; no version has expired by that.
func TestALostBaseOfKeptVersionsIsNoExpiry(t *testing.T) {
	store := long(t, 257)
	sweep(t, often(store), 134)
	trimmed, err := often(store).Trim(t.Context(), 0)
	if err != nil || trimmed.Oldest != 130 {
		t.Fatalf("trimmed %+v, %v", trimmed, err)
	}
	lost := log.New(store, "tables/t", log.Options{}).CheckpointKey(130)
	if err := store.Delete(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	table := often(store)
	if _, err := table.SnapshotAt(t.Context(), 133); !errors.Is(err, ErrExpired) {
		t.Errorf("an expired version: %v", err)
	}
	_, at := table.SnapshotAt(t.Context(), 135)
	_, back := table.Reach(t.Context(), 134)
	for _, err := range []error{at, back} {
		if errors.Is(err, ErrExpired) || !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("a kept version: %v", err)
		}
	}
	if found := faults(t, table); !slices.Equal(found, []string{fmt.Sprintf("missing-base %s 134-229", lost)}) {
		t.Errorf("found %q", found)
	}
}

// faults examines a table, and returns what is wrong as "fault key first-last".
func faults(t *testing.T, table *Table) (found []string) {
	t.Helper()
	_, err := table.Examine(t.Context(), func(f log.Finding) {
		found = append(found, fmt.Sprintf("%s %s %d-%d", f.Fault, f.Key, f.First, f.Last))
	}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A sweep expires versions by an edit before it trims the log. Where that edit and all
// after it are gone, the record of the trim tells: nothing is written in their place.
func TestLostNewestEditsAboveATrimAreTold(t *testing.T) {
	store := long(t, 257)
	sweep(t, often(store), 231)
	trimmed, err := often(store).Trim(t.Context(), 0)
	if err != nil || trimmed.Oldest != 230 {
		t.Fatalf("trimmed %+v, %v", trimmed, err)
	}
	newest := snapshot(t, often(store)).Version
	l := log.New(store, "tables/t", log.Options{})
	for n := Version(258); n <= newest; n++ {
		if err := store.Delete(t.Context(), l.EntryKey(uint64(n))); err != nil {
			t.Fatal(err)
		}
	}
	table := often(store)
	if _, err := table.Snapshot(t.Context()); !errors.Is(err, log.ErrCorrupt) {
		t.Errorf("read: %v", err)
	}
	if _, err := often(store).Register(t.Context(), DriverStream, definition("d")); !errors.Is(err, log.ErrCorrupt) {
		t.Errorf("written: %v", err)
	}
	want := fmt.Sprintf("missing-entry %s 258-%d", l.EntryKey(258), uint64(math.MaxUint64))
	if found := faults(t, table); !slices.Equal(found, []string{want}) {
		t.Errorf("found %q", found)
	}
}

// trimmedUnder sweeps and trims a table when an entry is first read.
type trimmedUnder struct {
	objstore.Store
	key  string
	once sync.Once
	trim func()
}

func (s *trimmedUnder) Read(ctx context.Context, key string) ([]byte, error) {
	if key == s.key {
		s.once.Do(s.trim)
	}
	return s.Store.Read(ctx, key)
}

// An edit that let versions go while the log was examined is not lost.
func TestATrimUnderAnExaminationIsNoLoss(t *testing.T) {
	store := long(t, 257)
	table := Open(&trimmedUnder{Store: store, key: log.New(store, "tables/t", log.Options{}).EntryKey(5), trim: func() {
		sweep(t, often(store), 231)
		if _, err := often(store).Trim(t.Context(), 0); err != nil {
			t.Error(err)
		}
	}}, "t", Options{Log: log.Options{CheckpointEvery: 10}})
	_, err := table.Examine(t.Context(), func(f log.Finding) { t.Errorf("found %+v", f) }, func(string) {})
	if err != nil && !errors.Is(err, log.ErrTrimmed) {
		t.Error(err)
	}
	if found := faults(t, table); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}
