package plans_test

import (
	"context"
	"slices"
	"testing"

	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/plans"
)

// receipt is of day n, with the input that it had at a position.
func receipt(n, landing int, position int64) manifests.Receipt {
	return manifests.Receipt{
		Partition: name(n), Start: day(n), End: day(n + 1), Positions: manifests.Positions{"events": position},
		InputRows: 5, InputDigest: input(n, landing), Fingerprint: code,
	}
}

// TestProgressIsToldByTheTableAlone has a partition of each kind that a table can tell
// apart.
func TestProgressIsToldByTheTableAlone(t *testing.T) {
	ctx, store := context.Background(), objstore.NewMemory()
	table := manifests.Open(store, "sales", manifests.Options{})
	generation, err := table.Register(ctx, manifests.DriverBackfill, manifests.Definition{Job: "sales", Fingerprint: code, Grain: "day"})
	if err != nil {
		t.Fatal(err)
	}
	otherCode := receipt(4, 1, 100)
	otherCode.Fingerprint = digest.OfBytes([]byte("older code"))
	failure := func(n, landing int) manifests.Failure {
		return manifests.Failure{Partition: name(n), Start: day(n), End: day(n + 1), Fingerprint: code, InputDigest: input(n, landing), Reason: "division by zero"}
	}
	_, err = table.Publish(ctx, manifests.Proposal{
		Driver: manifests.DriverBackfill, Generation: generation,
		Receipts: []manifests.Receipt{
			receipt(0, 1, 100), // just what the plan is to make
			receipt(1, 1, 50),  // the same input, read before
			receipt(2, 2, 200), // newer input
			receipt(3, 0, 50),  // older input
			otherCode,
			receipt(8, 1, 100),
		},
		Failures: []manifests.Failure{failure(5, 1), failure(6, 0)},
		Held:     []manifests.Candidate{{Receipt: receipt(7, 1, 100), Generation: generation, Violations: []string{"too few"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := table.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f := planOf(10)
	slices.Reverse(f.Tasks)
	f.Tasks[8].Again = true
	got := f.Progress(snapshot)
	want := []plans.State{plans.Done, plans.Done, plans.Done, plans.Left, plans.Left, plans.Failed, plans.Left, plans.Held, plans.Untold, plans.Left}
	if !slices.Equal(got.States, want) {
		t.Errorf("progress is\n%v, want\n%v", got.States, want)
	}
	if got.Count[plans.Done] != 3 || got.Count[plans.Left] != 4 || got.Count[plans.Untold] != 1 {
		t.Errorf("counted %v", got.Count)
	}
}

// Of a task with Again only who ran it knows: it is left for who asks anew, and not for who goes on.
func TestWhatIsLeftOfAPlanIsToldBySlice(t *testing.T) {
	p := plans.Progress{States: []plans.State{plans.Done, plans.Done, plans.Done, plans.Untold, plans.Left, plans.Done, plans.Failed, plans.Held}}
	if left := p.LeftOf(4); !slices.Equal(left, []int{1, 2, 3}) {
		t.Errorf("left is %v", left)
	}
	if lacking := p.LackingOf(4); !slices.Equal(lacking, []int{2, 3}) {
		t.Errorf("lacking is %v", lacking)
	}
}
