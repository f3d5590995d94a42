package manifests

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

func hash(s string) digest.Hash { return digest.OfBytes([]byte(s)) }

func day(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }

// receipt is one of partition n: from input, by code, with rows, up to position.
func receipt(n int, input, code, rows string, upTo int64) Receipt {
	return Receipt{
		Partition: day(n).Format("2006-01-02"), Start: day(n), End: day(n + 1),
		Positions: Positions{"s": upTo}, InputDigest: hash(input), Fingerprint: hash(code),
		Rows: 1, RowDigest: digest.OfRow([]byte(rows)),
	}
}

func definition(code string) Definition {
	return Definition{
		Job: "t", Fingerprint: hash(code), Key: []string{"window_start"}, Grain: "day",
		Columns: []datafile.Column{{Name: "n", Type: datafile.Type{Kind: datafile.BigInt}}},
	}
}

func table(t *testing.T, store objstore.Store, code string) (*Table, uint64) {
	t.Helper()
	table := Open(store, "t", Options{Writer: t.Name()})
	generation, err := table.Register(t.Context(), DriverStream, definition(code))
	if err != nil {
		t.Fatal(err)
	}
	return table, generation
}

func publish(t *testing.T, table *Table, generation uint64, receipts ...Receipt) Outcome {
	t.Helper()
	outcome, err := table.Publish(t.Context(), Proposal{Driver: DriverStream, Generation: generation, Receipts: receipts})
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func snapshot(t *testing.T, table *Table) *Snapshot {
	t.Helper()
	s, err := table.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The whole fence table, each line against a partition that is published from
// input "i" by code "c" with rows "r" up to position 10, in generation 1.
func TestTheFenceTable(t *testing.T) {
	standing := receipt(1, "i", "c", "r", 10)
	tests := []struct {
		name       string
		generation uint64
		proposed   Receipt
		want       Verdict
	}{
		{"same input, code and rows", 1, receipt(1, "i", "c", "r", 10), Unchanged},
		{"same, from more positions", 1, receipt(1, "i", "c", "r", 99), Unchanged},
		{"same, from fewer positions", 1, receipt(1, "i", "c", "r", 1), Unchanged},
		{"same, by a replaced writer", 7, receipt(1, "i", "c", "r", 10), Unchanged},
		{"same input and code, other rows", 1, receipt(1, "i", "c", "q", 10), NonDeterministic},
		{"the same from fewer positions", 1, receipt(1, "i", "c", "q", 1), NonDeterministic},
		{"the same by a replaced writer", 7, receipt(1, "i", "c", "q", 10), NonDeterministic},
		{"newer input, by a replaced writer", 7, receipt(1, "j", "c", "r", 11), Replaced},
		{"older input, by a replaced writer", 7, receipt(1, "j", "c", "r", 9), Replaced},
		{"older input", 1, receipt(1, "j", "c", "r", 9), Behind},
		{"older input and other code", 1, receipt(1, "j", "d", "r", 9), Behind},
		{"newer input", 1, receipt(1, "j", "c", "q", 11), Swap},
		{"newer input, same rows", 1, receipt(1, "j", "c", "r", 11), Swap},
		{"other code", 1, receipt(1, "i", "d", "q", 10), Swap},
		{"a partition without receipt", 1, receipt(2, "i", "c", "r", 1), Swap},
		{"a partition without receipt, by a replaced writer", 7, receipt(2, "i", "c", "r", 1), Replaced},
	}
	for _, test := range tests {
		s := newState()
		s.definition.Generation = 1
		s.partitions = s.partitions.with(standing)
		if got := s.Fence(DriverStream, test.generation, test.proposed); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAJobThatReadsAnotherStreamIsNotBehindTheOldOne(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10))
	other := receipt(1, "j", "d", "q", 3)
	other.Positions = Positions{"another": 3}
	if outcome := publish(t, table, generation, other); outcome.Verdicts[other.Partition] != Swap {
		t.Fatalf("got %v, want it published", outcome.Verdicts)
	}
}

func TestARepeatIsNoEdit(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	first := publish(t, table, generation, receipt(1, "i", "c", "r", 10))
	again := publish(t, table, generation, receipt(1, "i", "c", "r", 20))
	if first.Version != 2 || again.Version != 0 || snapshot(t, table).Version != 2 {
		t.Fatalf("versions %d and %d, head %d; want 2, none, 2", first.Version, again.Version, snapshot(t, table).Version)
	}
}

func TestAnEditTouchesOnlyThePartitionsItNames(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10), receipt(2, "i", "c", "r", 10))
	before, _ := snapshot(t, table).Receipt("2026-03-01")
	publish(t, table, generation, receipt(2, "j", "c", "q", 11), receipt(3, "j", "c", "q", 11))
	after, _ := snapshot(t, table).Receipt("2026-03-01")
	if !reflect.DeepEqual(before, after) || len(snapshot(t, table).Receipts()) != 3 {
		t.Fatalf("partition 2026-03-01 was %+v and is %+v", before, after)
	}
}

func TestARefusedPartitionStopsAnAtomicProposalAndNoOther(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10))
	proposal := Proposal{Generation: generation, Receipts: []Receipt{receipt(1, "h", "c", "q", 9), receipt(2, "h", "c", "q", 9)}}
	proposal.Atomic = true
	outcome, err := table.Publish(t.Context(), proposal)
	if err != nil || outcome.Version != 0 || outcome.Verdicts["2026-03-02"] != Withheld {
		t.Fatalf("atomic: %+v, %v", outcome, err)
	}
	proposal.Atomic = false
	outcome, err = table.Publish(t.Context(), proposal)
	if err != nil || outcome.Verdicts["2026-03-02"] != Swap || outcome.Verdicts["2026-03-01"] != Behind {
		t.Fatalf("not atomic: %+v, %v", outcome, err)
	}
}

func TestAFailureIsRecordedOnceAndEndsWithAPublication(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	failure := Failure{Partition: "2026-03-01", Start: day(1), End: day(2), Fingerprint: hash("c"), InputDigest: hash("i"), Reason: "no"}
	fail := func() Outcome {
		outcome, err := table.Publish(t.Context(), Proposal{Generation: generation, Failures: []Failure{failure}})
		if err != nil {
			t.Fatal(err)
		}
		return outcome
	}
	if first, again := fail(), fail(); first.Version != 2 || again.Version != 0 {
		t.Fatalf("versions %d and %d, want 2 and none", first.Version, again.Version)
	}
	if n := len(snapshot(t, table).Failures()); n != 1 {
		t.Fatalf("%d failures stand, want 1", n)
	}
	publish(t, table, generation, receipt(1, "j", "c", "r", 11))
	if n := len(snapshot(t, table).Failures()); n != 0 {
		t.Fatalf("%d failures stand after a publication", n)
	}
}

func TestGenerationsFollowOneAnotherAndEndTheirWriters(t *testing.T) {
	store := objstore.NewMemory()
	old, first := table(t, store, "c")
	if _, same := table(t, store, "c"); same != first {
		t.Fatalf("the same code was registered twice, as %d and %d", first, same)
	}
	_, second := table(t, store, "d")
	if second != first+1 {
		t.Fatalf("generation %d after %d", second, first)
	}
	for name, p := range map[string]Proposal{
		"a receipt": {Generation: first, Receipts: []Receipt{receipt(1, "i", "c", "r", 10)}},
		"a failure": {Generation: first, Failures: []Failure{{Partition: "2026-03-01"}}},
	} {
		if _, err := old.Publish(t.Context(), p); !errors.Is(err, ErrReplaced) {
			t.Errorf("%s of a replaced writer: %v, want ErrReplaced", name, err)
		}
	}
}

func TestAChangedKeyGrainOrTypeNeedsARebuild(t *testing.T) {
	changes := map[string]func(*Definition){
		"key":   func(d *Definition) { d.Key = []string{"window_start", "n"} },
		"grain": func(d *Definition) { d.Grain = "month" },
		"type": func(d *Definition) {
			d.Columns = []datafile.Column{{Name: "n", Type: datafile.Type{Kind: datafile.Double}}}
		},
		"rules of the zone": func(d *Definition) {
			d.HasPartition = func(name string, start, _ time.Time) bool { return !start.Equal(receipt(2, "i", "c", "r", 10).Start) }
		},
	}
	for name, change := range changes {
		table, generation := table(t, objstore.NewMemory(), "c")
		publish(t, table, generation, receipt(1, "i", "c", "r", 10), receipt(2, "i", "c", "r", 10))
		next := definition("d")
		change(&next)
		if _, err := table.Register(t.Context(), DriverBackfill, next); !errors.Is(err, ErrNeedsRebuild) {
			t.Errorf("%s: %v, want ErrNeedsRebuild", name, err)
		}
		if _, err := table.Rebuild(t.Context(), next, Proposal{Driver: DriverBackfill, Generation: generation, Read: Positions{"s": 10}, Receipts: []Receipt{receipt(5, "i", "d", "r", 10)}}); err != nil {
			t.Errorf("%s: rebuild: %v", name, err)
		}
		if s := snapshot(t, table); len(s.Receipts()) != 1 || s.Definition.Generation != generation+1 {
			t.Errorf("%s: after the rebuild: %+v", name, s.Receipts())
		}
		if _, err := table.Rebuild(t.Context(), next, Proposal{Driver: DriverBackfill, Generation: generation}); !errors.Is(err, ErrReplaced) {
			t.Errorf("%s: a second rebuild from the same generation: %v, want ErrReplaced", name, err)
		}
	}
}

func TestAColumnThatIsNoLongerMadeStaysReadable(t *testing.T) {
	store := objstore.NewMemory()
	first, generation := table(t, store, "c")
	publish(t, first, generation, receipt(1, "i", "c", "r", 10))
	next := definition("d")
	next.Columns = []datafile.Column{{Name: "m", Type: datafile.Type{Kind: datafile.Varchar}}}
	later := Open(store, "t", Options{})
	if _, err := later.Register(t.Context(), DriverStream, next); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range snapshot(t, later).Columns() {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"m", "n"}) {
		t.Fatalf("columns %v, want [m n]", names)
	}
	back := definition("e")
	back.Columns[0].Type.Kind = datafile.Double // n was BIGINT, in partitions that stand
	if _, err := later.Register(t.Context(), DriverStream, back); !errors.Is(err, ErrNeedsRebuild) {
		t.Fatalf("got %v, want ErrNeedsRebuild", err)
	}
}

func TestATableWithoutPartitionsFitsAnyJob(t *testing.T) {
	store := objstore.NewMemory()
	table(t, store, "c")
	next := definition("d")
	next.Grain, next.Columns[0].Type.Kind = "month", datafile.Double
	later := Open(store, "t", Options{})
	if _, err := later.Register(t.Context(), DriverStream, next); err != nil {
		t.Fatal(err)
	}
	if columns := snapshot(t, later).Columns(); !slices.Equal(columns, next.Columns) {
		t.Fatalf("columns %v, want %v", columns, next.Columns)
	}
}

func TestARepairReplacesTheFilesAndNothingElse(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	standing := receipt(1, "i", "c", "r", 10)
	standing.Files = []File{{ID: "lost"}}
	publish(t, table, generation, standing)
	repair := func(of Receipt) Verdict {
		outcome, err := table.Publish(t.Context(), Proposal{Generation: generation, Repairs: []Repair{{Standing: of, Files: []File{{ID: "new"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return outcome.Verdicts[of.Partition]
	}
	if v := repair(standing); v != Repaired {
		t.Fatalf("got %v", v)
	}
	want := standing
	want.Files = []File{{ID: "new"}}
	if got, _ := snapshot(t, table).Receipt("2026-03-01"); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	if v := repair(standing); v != Unchanged { // another process mended it first
		t.Fatalf("a second repair of the same files: %v", v)
	}
}

func TestThePastCanBeRead(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	for i := range 5 {
		publish(t, table, generation, receipt(i+1, "i", "c", "r", int64(i)))
	}
	for version := range Version(7) {
		s, err := table.SnapshotAt(t.Context(), version)
		if err != nil || len(s.Receipts()) != max(0, int(version)-1) || s.Version != version {
			t.Fatalf("version %d: %+v, %v", version, s, err)
		}
	}
	if _, err := table.SnapshotAt(t.Context(), 7); !errors.Is(err, ErrNoVersion) {
		t.Fatalf("got %v, want ErrNoVersion", err)
	}
}

// Writers race over few partitions under seeded faults. A simple model of the
// fence, fed with the history, must agree with the table, and no partition may
// ever go back to older input.
func TestRacingPublishersKeepTheFence(t *testing.T) {
	for seed := range uint64(30) {
		store := objstore.NewFault(objstore.NewMemory(), objstore.SeededFaults(seed, 0.1))
		var group errgroup.Group
		for w := range 4 {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			group.Go(func() error { return publishAtRandom(t, store, random) })
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for store.Release() > 0 {
		}
		checkMonotone(t, store, seed)
	}
}

func publishAtRandom(t *testing.T, store objstore.Store, random *rand.Rand) error {
	table := Open(store, "t", Options{})
	for range 15 {
		generation, err := table.Register(t.Context(), DriverStream, definition("c"))
		if err != nil {
			continue // a fault
		}
		upTo := random.Int64N(50)
		n := 1 + random.IntN(3)
		input := fmt.Sprint(upTo / 10) // a partition's input moves more rarely than the head
		_, err = table.Publish(t.Context(), Proposal{Generation: generation, Receipts: []Receipt{receipt(n, input, "c", input, upTo)}})
		if errors.Is(err, log.ErrCorrupt) || errors.Is(err, log.ErrFenced) {
			return err
		}
	}
	return nil
}

func checkMonotone(t *testing.T, store objstore.Store, seed uint64) {
	t.Helper()
	var changes []Change
	var err error
	for range 100 { // past the faults
		if changes, err = history(t.Context(), Open(store, "t", Options{})); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	newest := map[string]Receipt{}
	for _, c := range changes {
		for _, r := range c.Receipts {
			old, published := newest[r.Partition]
			if published && (r.Positions["s"] < old.Positions["s"] || r.SameInput(old)) {
				t.Fatalf("seed %d: version %d replaces %+v by %+v", seed, c.Version, old, r)
			}
			newest[r.Partition] = r
		}
	}
}

func TestACheckpointHoldsTheWholeState(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10), receipt(2, "i", "c", "r", 10))
	publish(t, table, generation, receipt(2, "i", "c", "q", 10)) // refused, and recorded so
	for _, code := range []string{"d", "e"} {
		generation, err := table.Register(t.Context(), DriverStream, coded(code))
		if err != nil {
			t.Fatal(err)
		}
		publish(t, table, generation, receipt(3, code, code, "r", 10))
	}
	if _, err := table.Register(t.Context(), DriverStream, coded("f")); err != nil {
		t.Fatal(err)
	}
	table.follow.View(func(s *State, _ log.Head) {
		data, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		read := newState()
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if !sameState(read, s) {
			t.Fatalf("the state of a checkpoint is another:\n%+v\n%+v", read, s)
		}
	})
}

// sameState compares states, however their receipts are packed.
func sameState(a, b *State) bool {
	one, other := *a, *b
	one.partitions, other.partitions = receipts{}, receipts{}
	return reflect.DeepEqual(one, other) && reflect.DeepEqual(a.snapshot("t").Receipts(), b.snapshot("t").Receipts())
}

func TestAnEditThatBreaksAnInvariantIsCorrupt(t *testing.T) {
	bad := map[string]Edit{
		"of no generation":     {Generation: 3},
		"backwards":            {Generation: 1, Receipts: []Receipt{receipt(1, "h", "c", "r", 9)}},
		"one partition twice":  {Generation: 1, Receipts: []Receipt{receipt(2, "h", "c", "r", 9), receipt(2, "j", "c", "r", 9)}},
		"a generation skipped": {Generation: 5, Define: &Definition{Generation: 5}},
	}
	for name, edit := range bad {
		table, generation := table(t, objstore.NewMemory(), "c")
		publish(t, table, generation, receipt(1, "i", "c", "r", 10))
		if _, err := table.log.Append(t.Context(), headOf(t, table), edit); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Snapshot(t.Context()); !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func headOf(t *testing.T, table *Table) (head log.Head) {
	t.Helper()
	snapshot(t, table)
	table.follow.View(func(_ *State, h log.Head) { head = h })
	return head
}
