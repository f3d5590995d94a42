package manifests

import (
	"errors"
	"testing"

	"strandline/internal/objstore"
)

// rolledBack is a table of one partition, published from input "i" up to 10
// and from "j" up to 20, and rolled back to the first; version 4.
func rolledBack(t *testing.T) (*Table, uint64) {
	t.Helper()
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10))
	publish(t, table, generation, receipt(1, "j", "c", "q", 20), receipt(2, "j", "c", "q", 20))
	if version, err := rollback(t.Context(), table, 2); err != nil || version != 4 {
		t.Fatalf("rolled back in version %d, %v", version, err)
	}
	return table, generation
}

func TestARollbackBringsBackTheOldVersionAsANewOne(t *testing.T) {
	table, _ := rolledBack(t)
	s := snapshot(t, table)
	if r, _ := s.Receipt("2026-03-01"); r.InputDigest != hash("i") || len(s.Receipts()) != 1 {
		t.Fatalf("after the rollback there are %+v", s.Receipts())
	}
	if version, err := rollback(t.Context(), table, 2); version != 0 || err != nil {
		t.Fatalf("a second rollback to the same version made version %d, %v", version, err)
	}
	// Forward again, which ends what was set aside.
	if _, err := rollback(t.Context(), table, 3); err != nil {
		t.Fatal(err)
	}
	s = snapshot(t, table)
	if _, aside := s.Aside("2026-03-01"); aside || len(s.Receipts()) != 2 {
		t.Fatalf("rolled forward to %+v, aside %v", s.Receipts(), aside)
	}
}

func TestTheStreamCannotUndoARollbackAndNewInputCan(t *testing.T) {
	tests := []struct {
		name     string
		driver   Driver
		proposed Receipt
		want     Verdict
	}{
		{"the stream, what was rolled back", DriverStream, receipt(1, "j", "c", "q", 20), SetAside},
		{"the stream, the same from a newer head", DriverStream, receipt(1, "j", "c", "q", 25), SetAside},
		{"the stream, a partition that was taken away", DriverStream, receipt(2, "j", "c", "q", 20), SetAside},
		{"a zombie, from input between the two", DriverStream, receipt(1, "k", "c", "p", 15), Behind},
		{"a zombie, for a partition that was taken away", DriverBackfill, receipt(2, "k", "c", "p", 15), Behind},
		{"a backfill, since a person asked", DriverBackfill, receipt(1, "j", "c", "q", 20), Swap},
		{"the stream, with new input", DriverStream, receipt(1, "l", "c", "p", 21), Swap},
		{"the stream, with new code", DriverStream, receipt(1, "j", "d", "p", 20), Swap},
	}
	for _, test := range tests {
		table, generation := rolledBack(t)
		outcome, err := table.Publish(t.Context(), Proposal{Driver: test.driver, Generation: generation, Receipts: []Receipt{test.proposed}})
		if err != nil || outcome.Verdicts[test.proposed.Partition] != test.want {
			t.Errorf("%s: %v, %v; want %v", test.name, outcome.Verdicts, err, test.want)
		}
	}
}

// What stands comes of the last rollback, so the partition is told by that; a rollback that changes
// nothing of a partition does not touch what is said of it, and one of an older program reads as it did.
func TestASecondRollbackIsTheOneThatIsTold(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "h", "c", "r", 10), receipt(2, "h", "c", "r", 10))
	publish(t, table, generation, receipt(1, "i", "c", "p", 15))
	publish(t, table, generation, receipt(1, "j", "c", "q", 20), receipt(2, "j", "c", "q", 20))
	for i, to := range []Version{3, 2} { // the second changes one of the partitions
		if version, err := rollback(t.Context(), table, to); err != nil || version != Version(5+i) {
			t.Fatalf("rolled back in version %d, %v", version, err)
		}
	}
	s := snapshot(t, table)
	for day, want := range map[int]Version{1: 6, 2: 5} {
		aside, _ := s.Aside(receipt(day, "j", "c", "q", 20).Partition)
		if aside.Since != want || aside.Reason != AsideRolledBack || aside.InputDigest != hash("j") {
			t.Errorf("of day %d is aside %+v, want since %d", day, aside, want)
		}
	}
	old := newState()
	old.version, old.partitions = 6, old.partitions.with(receipt(1, "i", "c", "p", 15))
	old.aside["2026-03-01"] = Aside{Reason: AsideDropped, Since: 5}
	old.rollBack(&Edit{Receipts: []Receipt{receipt(1, "h", "c", "r", 10)}, Rollback: &Rollback{To: 2}})
	if aside := old.aside["2026-03-01"]; aside.Since != 5 || aside.Reason != AsideDropped {
		t.Errorf("by an older program's edit there is aside %+v", aside)
	}
}

func TestARollbackStopsAtARebuild(t *testing.T) {
	table, generation := rolledBack(t)
	next := definition("d")
	next.Grain = "month"
	if _, err := table.Rebuild(t.Context(), next, Proposal{Driver: DriverBackfill, Generation: generation, Read: Positions{"s": 1 << 20}}); err != nil {
		t.Fatal(err)
	}
	if _, err := rollback(t.Context(), table, 2); !errors.Is(err, ErrRebuilt) {
		t.Fatalf("got %v, want ErrRebuilt", err)
	}
	if _, err := rollback(t.Context(), table, 99); !errors.Is(err, ErrNoVersion) {
		t.Fatalf("got %v, want ErrNoVersion", err)
	}
}

func hold(t *testing.T, table *Table, generation uint64, r Receipt) Outcome {
	t.Helper()
	outcome, err := table.Publish(t.Context(), Proposal{
		Driver: DriverStream, Generation: generation, Held: []Candidate{{Receipt: r, Violations: []string{"too few rows"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestAHeldCandidateIsPublishedOnlyByItsRelease(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10))
	first, again := hold(t, table, generation, receipt(1, "j", "c", "q", 20)), hold(t, table, generation, receipt(1, "j", "c", "q", 20))
	if first.Verdicts["2026-03-01"] != Held || again.Verdicts["2026-03-01"] != StillHeld || again.Version != 0 {
		t.Fatalf("held: %+v, then %+v", first, again)
	}
	s := snapshot(t, table)
	if r, _ := s.Receipt("2026-03-01"); r.InputDigest != hash("i") || len(s.Candidates()) != 1 {
		t.Fatalf("published is %+v, held are %+v", r, s.Candidates())
	}
	if r, _ := s.WithCandidates().Receipt("2026-03-01"); r.InputDigest != hash("j") {
		t.Fatalf("with candidates there is %+v", r)
	}
	if _, err := table.Release(t.Context(), "2026-03-01"); err != nil {
		t.Fatal(err)
	}
	s = snapshot(t, table)
	if r, _ := s.Receipt("2026-03-01"); r.InputDigest != hash("j") || len(s.Candidates()) != 0 {
		t.Fatalf("released: published is %+v, held are %+v", r, s.Candidates())
	}
	if _, err := table.Release(t.Context(), "2026-03-01"); !errors.Is(err, ErrNotHeld) {
		t.Fatalf("a second release: %v, want ErrNotHeld", err)
	}
}

func TestSeveralAreReleasedOrDroppedByOneEditOrNone(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	for day := 1; day <= 4; day++ {
		hold(t, table, generation, receipt(day, "j", "c", "q", 20))
	}
	name := func(day int) string { return receipt(day, "j", "c", "q", 20).Partition }
	before := snapshot(t, table).Version
	if _, err := table.Release(t.Context(), name(1), name(9)); !errors.Is(err, ErrNotHeld) {
		t.Errorf("released with one that is not held: %v, want ErrNotHeld", err)
	}
	if _, err := table.Drop(t.Context(), []string{name(1), name(9)}); !errors.Is(err, ErrNotHeld) {
		t.Errorf("dropped with one that is not held: %v, want ErrNotHeld", err)
	}
	if s := snapshot(t, table); s.Version != before || len(s.Candidates()) != 4 {
		t.Fatalf("what was refused made version %d of %d, and %d are held", s.Version, before, len(s.Candidates()))
	}
	if version, err := table.Release(t.Context(), name(2), name(1), name(1)); err != nil || version != before+1 {
		t.Errorf("released in version %d, %v, want %d", version, err, before+1)
	}
	if version, err := table.Drop(t.Context(), []string{name(3), name(4), name(3)}); err != nil || version != before+2 {
		t.Errorf("dropped in version %d, %v, want %d", version, err, before+2)
	}
	if s := snapshot(t, table); len(s.Receipts()) != 2 || len(s.Candidates()) != 0 {
		t.Errorf("%d are published and %d held, want the two that were released", len(s.Receipts()), len(s.Candidates()))
	}
}

func TestLateInputIsSetAsideWithWhatIsHeld(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	for day := 1; day <= 2; day++ {
		publish(t, table, generation, receipt(day, "i", "c", "r", 10))
	}
	hold(t, table, generation, receipt(1, "j", "c", "q", 20))
	late := func(day int) Late {
		return Late{Partition: receipt(day, "k", "c", "q", 30).Partition, Positions: Positions{"s": 30}, InputRows: 3, InputDigest: hash("k"), Fingerprint: hash("c")}
	}
	names := []string{late(1).Partition, late(2).Partition}
	if _, err := table.Drop(t.Context(), []string{late(3).Partition}, late(3)); !errors.Is(err, ErrNotHeld) {
		t.Errorf("left though it was never published: %v, want ErrNotHeld", err)
	}
	if version, err := table.Drop(t.Context(), names, late(1), late(2)); err != nil || version == 0 {
		t.Fatalf("dropped in version %d, %v", version, err)
	}
	s := snapshot(t, table)
	for _, name := range names {
		if a, ok := s.Aside(name); !ok || a.Reason != AsideLate || a.InputDigest != hash("k") {
			t.Errorf("partition %s has %+v aside, want its late input", name, a)
		}
	}
	if len(s.Candidates()) != 0 {
		t.Errorf("still held are %+v", s.Candidates())
	}
	if version, err := table.Drop(t.Context(), names, late(1), late(2)); err != nil || version != 0 {
		t.Errorf("dropped again in version %d, %v, want nothing to do", version, err)
	}
}

func TestADroppedCandidateStaysAwayUntilInputMovesOn(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10))
	hold(t, table, generation, receipt(1, "j", "c", "q", 20))
	if _, err := table.Drop(t.Context(), []string{"2026-03-01"}); err != nil {
		t.Fatal(err)
	}
	if again := hold(t, table, generation, receipt(1, "j", "c", "q", 20)); again.Verdicts["2026-03-01"] != SetAside {
		t.Errorf("the stream held it again: %+v", again)
	}
	if next := hold(t, table, generation, receipt(1, "k", "c", "q", 21)); next.Verdicts["2026-03-01"] != Held {
		t.Errorf("new input: %+v, want it held", next)
	}
}

func TestAnOutdatedCandidateIsNotReleased(t *testing.T) {
	store := objstore.NewMemory()
	mine, generation := table(t, store, "c")
	hold(t, mine, generation, receipt(1, "j", "c", "q", 20))
	table(t, store, "d") // the job is changed
	if _, err := mine.Release(t.Context(), "2026-03-01"); !errors.Is(err, ErrOutdated) {
		t.Fatalf("of old code: %v, want ErrOutdated", err)
	}
	if _, err := mine.Drop(t.Context(), []string{"2026-03-01"}); err != nil {
		t.Fatal(err)
	}
}

func TestAPublicationOfNewerInputEndsAHeldCandidate(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	hold(t, table, generation, receipt(1, "j", "c", "q", 20))
	publish(t, table, generation, receipt(1, "k", "c", "p", 30))
	if n := len(snapshot(t, table).Candidates()); n != 0 {
		t.Fatalf("%d candidates are held after a publication", n)
	}
}

func TestOfTwoCandidatesTheOneOfNewerInputStays(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	hold(t, table, generation, receipt(1, "j", "c", "q", 20))
	if older := hold(t, table, generation, receipt(1, "i", "c", "r", 10)); older.Verdicts["2026-03-01"] != StillHeld || older.Version != 0 {
		t.Errorf("one of older input: %+v, want that the newer is still held", older)
	}
	if c, _ := snapshot(t, table).Held("2026-03-01"); c.Receipt.InputDigest != hash("j") {
		t.Errorf("held is %+v", c)
	}
}

// The job was changed and changed back, so the candidate is of its code again
// but not of its generation.
func TestACandidateOfTheSameCodeComesToTheNewGeneration(t *testing.T) {
	store := objstore.NewMemory()
	mine, generation := table(t, store, "c")
	r := receipt(1, "j", "c", "q", 20)
	r.Files = []File{{ID: "first", Rows: r.Rows}}
	hold(t, mine, generation, r)
	table(t, store, "d")
	back, generation := table(t, store, "c")
	r.Files = []File{{ID: "second", Rows: r.Rows}}
	if again := hold(t, back, generation, r); again.Verdicts["2026-03-01"] != StillHeld || again.Version == 0 {
		t.Errorf("held again: %+v", again)
	}
	if c, _ := snapshot(t, back).Held("2026-03-01"); c.Generation != generation || c.Receipt.Files[0].ID != "first" {
		t.Errorf("held is %+v, want its first file and generation %d", c, generation)
	}
	if _, err := back.Release(t.Context(), "2026-03-01"); err != nil {
		t.Error(err)
	}
}

func TestAnAtomicProposalWithAHeldResultPublishesNothing(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	outcome, err := table.Publish(t.Context(), Proposal{
		Driver: DriverBackfill, Generation: generation, Atomic: true,
		Receipts: []Receipt{receipt(1, "i", "c", "r", 10)},
		Held:     []Candidate{{Receipt: receipt(2, "i", "c", "r", 10), Violations: []string{"too few rows"}}},
		Warnings: map[string][]string{"2026-03-01": {"a warning"}},
	})
	if err != nil || outcome.Verdicts["2026-03-01"] != Withheld || outcome.Verdicts["2026-03-02"] != Held {
		t.Fatalf("got %+v, %v", outcome, err)
	}
	if s := snapshot(t, table); len(s.Receipts()) != 0 || len(s.Candidates()) != 1 {
		t.Errorf("published are %+v, held %+v", s.Receipts(), s.Candidates())
	}
}

// Found by simulation: days came back beside the hours that had been published
// since, and every row counted twice.
func TestARollbackStopsWhereAnEmptiedTableWasPartitionedAnew(t *testing.T) {
	table, _ := rolledBack(t)
	days := snapshot(t, table).Version
	if _, err := rollback(t.Context(), table, 0); err != nil {
		t.Fatal(err)
	}
	hourly := definition("h")
	hourly.Grain = "hour"
	if _, err := table.Register(t.Context(), DriverStream, hourly); err != nil {
		t.Fatal(err)
	}
	if _, err := rollback(t.Context(), table, days); !errors.Is(err, ErrRebuilt) {
		t.Fatalf("got %v, want ErrRebuilt", err)
	}
}

func TestARollbackBringsBackRepairedFilesAndNotTheLostOnes(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	lost, other := receipt(1, "i", "c", "r", 10), receipt(2, "i", "c", "r", 10)
	lost.Files = []File{{ID: "lost"}}
	publish(t, table, generation, lost, other)
	if _, err := table.Publish(t.Context(), Proposal{Generation: generation, Repairs: []Repair{{Standing: lost, Files: []File{{ID: "new"}}}}}); err != nil {
		t.Fatal(err)
	}
	publish(t, table, generation, receipt(2, "j", "c", "q", 20))
	check := func() {
		t.Helper()
		if _, err := rollback(t.Context(), table, 2); err != nil {
			t.Fatal(err)
		}
		r, _ := snapshot(t, table).Receipt("2026-03-01")
		if len(r.Files) != 1 || r.Files[0].ID != "new" {
			t.Fatalf("after the rollback its files are %+v", r.Files)
		}
	}
	check() // while the repaired receipt stands
	publish(t, table, generation, receipt(1, "k", "c", "p", 30))
	check() // and after it was replaced
}
