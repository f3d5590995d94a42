package manifests

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

// inFile is a receipt whose rows are in a file.
func inFile(id string, r Receipt) Receipt {
	r.Files = []File{{ID: id, Rows: r.Rows}}
	return r
}

// replaced is a table whose only partition is in file "new" since version 3, and
// was in file "old" before, in version 2.
func replaced(t *testing.T) (*Table, uint64) {
	t.Helper()
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, inFile("old", receipt(1, "i", "c", "r", 10)))
	publish(t, table, generation, inFile("new", receipt(1, "j", "c", "q", 20)))
	return table, generation
}

func reach(t *testing.T, table *Table, from Version) *Reach {
	t.Helper()
	r, err := table.Reach(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sweep(t *testing.T, table *Table, oldest Version, files ...string) []string {
	t.Helper()
	condemned, err := table.Sweep(t.Context(), reach(t, table, oldest), Sweeping{Oldest: oldest, Files: files, At: day(1)})
	if err != nil {
		t.Fatal(err)
	}
	return condemned
}

func TestASweepCondemnsOnlyWhatNoKeptVersionNames(t *testing.T) {
	table, generation := replaced(t)
	held := inFile("held", receipt(2, "i", "c", "r", 10))
	if _, err := table.Publish(t.Context(), Proposal{Driver: DriverStream, Generation: generation, Held: []Candidate{{Receipt: held}}}); err != nil {
		t.Fatal(err)
	}
	all := []string{"old", "new", "held", "orphan"}
	if got := sweep(t, table, 0, all...); !slices.Equal(got, []string{"orphan"}) {
		t.Fatalf("with every version kept %v are condemned", got)
	}
	if got := sweep(t, table, 3, all...); !slices.Equal(got, []string{"old"}) {
		t.Fatalf("with versions from 3 on kept %v are condemned", got)
	}
	if got := sweep(t, table, 3, all...); got != nil || snapshot(t, table).Version != 6 {
		t.Fatalf("a second sweep condemned %v, in version %d", got, snapshot(t, table).Version)
	}
	if _, err := table.Drop(t.Context(), []string{held.Partition}); err != nil {
		t.Fatal(err)
	}
	if got := sweep(t, table, 6, "held"); got != nil {
		t.Fatalf("what was held in version 6 is condemned: %v", got)
	}
	if got := sweep(t, table, 7, "held"); !slices.Equal(got, []string{"held"}) {
		t.Fatalf("what was dropped in version 7 is not condemned: %v", got)
	}
}

// What is named while a sweep looks and decides is not condemned, even if it is
// replaced again before the sweep's edit.
func TestAFileThatIsNamedMeanwhileIsNotCondemned(t *testing.T) {
	table, generation := replaced(t)
	seen := reach(t, table, 3)
	publish(t, table, generation, inFile("meanwhile", receipt(2, "i", "c", "r", 20)))
	publish(t, table, generation, inFile("after", receipt(2, "j", "c", "q", 30)))
	if _, err := rollback(t.Context(), table, 2); err != nil {
		t.Fatal(err)
	}
	files := []string{"meanwhile", "old", "orphan"}
	got, err := table.Sweep(t.Context(), seen, Sweeping{Oldest: 3, Files: files, At: day(1)})
	if err != nil || !slices.Equal(got, []string{"orphan"}) {
		t.Fatalf("condemned %v, %v; the others are named by versions 4 and 6", got, err)
	}
}

func TestNobodyCommitsACondemnedFile(t *testing.T) {
	commits := map[string]func(*Table, uint64, Receipt) error{
		"published": func(table *Table, generation uint64, r Receipt) error {
			_, err := table.Publish(t.Context(), Proposal{Generation: generation, Receipts: []Receipt{r}})
			return err
		},
		"held": func(table *Table, generation uint64, r Receipt) error {
			_, err := table.Publish(t.Context(), Proposal{Generation: generation, Held: []Candidate{{Receipt: r}}})
			return err
		},
		"repaired": func(table *Table, generation uint64, r Receipt) error {
			standing := inFile("new", receipt(1, "j", "c", "q", 20))
			_, err := table.Publish(t.Context(), Proposal{Generation: generation, Repairs: []Repair{{Standing: standing, Files: r.Files}}})
			return err
		},
		"rebuilt": func(table *Table, generation uint64, r Receipt) error {
			_, err := table.Rebuild(t.Context(), definition("d"), Proposal{Generation: generation, Receipts: []Receipt{r}})
			return err
		},
	}
	for name, commit := range commits {
		table, generation := replaced(t)
		sweep(t, table, 0, "slow")
		before := snapshot(t, table).Version
		if err := commit(table, generation, inFile("slow", receipt(2, "i", "c", "r", 20))); !errors.Is(err, condemn.Err) {
			t.Errorf("%s: %v, want condemn.Err", name, err)
		}
		if after := snapshot(t, table).Version; after != before {
			t.Errorf("%s in version %d", name, after)
		}
	}
}

func TestAFileThatWaitedTooLongIsNotCommitted(t *testing.T) {
	table, generation := replaced(t)
	old := Proposal{Generation: generation, Receipts: []Receipt{inFile("late", receipt(2, "i", "c", "r", 20))}, Since: time.Now().Add(-condemn.MaxUnnamed - time.Second)}
	if _, err := table.Publish(t.Context(), old); !errors.Is(err, condemn.Err) {
		t.Errorf("published: %v", err)
	}
	if _, err := table.Rebuild(t.Context(), definition("d"), old); !errors.Is(err, condemn.Err) {
		t.Errorf("rebuilt: %v", err)
	}
}

func TestAnExpiredVersionSaysSo(t *testing.T) {
	table, _ := replaced(t)
	sweep(t, table, 3)
	if _, err := table.SnapshotAt(t.Context(), 2); !errors.Is(err, ErrExpired) {
		t.Errorf("reading version 2: %v", err)
	}
	if _, err := rollback(t.Context(), table, 2); !errors.Is(err, ErrExpired) {
		t.Errorf("rolling back to version 2: %v", err)
	}
	if s, err := table.SnapshotAt(t.Context(), 3); err != nil || s.Oldest != 0 || len(s.Receipts()) != 1 {
		t.Errorf("version 3 is kept, but reads as %+v, %v", s, err)
	}
	if s, err := table.SnapshotAt(t.Context(), 0); err != nil || len(s.Receipts()) != 0 {
		t.Errorf("version 0 is the empty table for ever, but reads as %+v, %v", s, err)
	}
	changes, err := history(t.Context(), table)
	if err != nil || len(changes) != 2 || changes[0].Version != 3 || changes[1].Oldest != 3 {
		t.Errorf("the history is %+v, %v", changes, err)
	}
}

// A rollback that had read its version before a sweep expired it is refused.
func TestARollbackThatSleptOverASweepIsRefused(t *testing.T) {
	store := objstore.NewMemory()
	table, generation := table(t, store, "c")
	publish(t, table, generation, inFile("old", receipt(1, "i", "c", "r", 10)))
	publish(t, table, generation, inFile("new", receipt(1, "j", "c", "q", 20)))
	asleep := &sweptMeanwhile{Store: store, sweep: func() { sweep(t, table, 3, "old") }}
	if _, err := rollback(t.Context(), Open(asleep, "t", Options{}), 2); !errors.Is(err, ErrExpired) {
		t.Fatalf("got %v, want ErrExpired", err)
	}
}

// sweptMeanwhile is a store in which a sweep comes before the first entry that is
// put through it.
type sweptMeanwhile struct {
	objstore.Store
	sweep func()
}

func (s *sweptMeanwhile) Create(ctx context.Context, key string, body []byte) error {
	if s.sweep != nil {
		s.sweep()
		s.sweep = nil
	}
	return s.Store.Create(ctx, key, body)
}

func TestASweepThatBreaksAnInvariantIsCorrupt(t *testing.T) {
	bad := map[string]Edit{
		"condemns what the table names": {Generation: 1, Condemned: &condemn.Sentence{At: day(1), Files: []string{"new"}}},
		"names what is condemned":       {Generation: 1, Receipts: []Receipt{inFile("gone", receipt(2, "h", "c", "r", 9))}},
		"brings back what has expired":  {Generation: 1, Oldest: 2},
		"expires what is to come":       {Generation: 1, Oldest: 5},
	}
	for name, edit := range bad {
		table, _ := replaced(t)
		sweep(t, table, 3, "gone")
		if _, err := table.log.Append(t.Context(), headOf(t, table), edit); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Snapshot(t.Context()); !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func TestACheckpointRemembersASweep(t *testing.T) {
	table, _ := replaced(t)
	sweep(t, table, 3, "old", "orphan")
	table.follow.View(func(s *State, _ log.Head) {
		read := newState()
		data, err := s.AppendBinary(nil)
		if err == nil {
			err = read.UnmarshalBinary(data)
		}
		if err != nil || !sameState(read, s) {
			t.Fatalf("the state of a checkpoint is another: %v\n%+v\n%+v", err, read, s)
		}
	})
}
