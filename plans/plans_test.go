package plans_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/plans"
)

func day(n int) time.Time { return time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC) }

func name(n int) string { return day(n).Format("2006-01-02") }

// input is the digest that day n has at the positions of some landing.
func input(n, landing int) digest.Hash {
	return digest.OfBytes([]byte{byte(n), byte(n >> 8), byte(landing)})
}

var code = digest.OfBytes([]byte("the job's code"))

// planOf is a plan of so many days, newest first, at position 100.
func planOf(days int) plans.File {
	f := plans.File{
		Format: 1, Job: "sales", Driver: manifests.DriverBackfill, Asked: "all of it", Fingerprint: code,
		Read: manifests.Positions{"events": 100}, Order: "newest",
	}
	for n := days - 1; n >= 0; n-- {
		f.Tasks = append(f.Tasks, plans.Task{Partition: name(n), Start: day(n), End: day(n + 1), Rows: 5, Digest: input(n, 1)})
	}
	return f
}

func TestAPlanIsWhatWasWrittenAndWrittenOnce(t *testing.T) {
	ctx, store := context.Background(), objstore.NewMemory()
	f := planOf(3)
	id, err := plans.Write(ctx, store, f)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := plans.Write(ctx, store, planOf(3)); err != nil || again != id {
		t.Fatalf("the same plan, written again: %s, %v; want %s", again, err, id)
	}
	if other, err := plans.Write(ctx, store, planOf(2)); err != nil || other == id {
		t.Fatalf("another plan: %s, %v", other, err)
	}
	got, err := plans.Read(ctx, store, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, same, err := got.Encode(); err != nil || same != id {
		t.Errorf("what was read is %s, %v; want %s", same, err, id)
	}
	if found, err := plans.Find(ctx, store, id.String()[:plans.LeastPrefix]); err != nil || found != id {
		t.Errorf("found by its first digits: %s, %v", found, err)
	}
}

func TestAPlanThatIsNotThereIsToldFromOneThatIsWrong(t *testing.T) {
	ctx, store := context.Background(), objstore.NewMemory()
	absent := plans.ID{Hash: code}
	if _, err := plans.Read(ctx, store, absent); !errors.Is(err, plans.ErrNoPlan) {
		t.Errorf("read a plan that is not there: %v", err)
	}
	for _, prefix := range []string{"", "1234567", "../../x/y/z", "ABCDEF01", absent.String(), strings.Repeat("0", 65)} {
		if _, err := plans.Find(ctx, store, prefix); !errors.Is(err, plans.ErrNoPlan) {
			t.Errorf("find %q: %v", prefix, err)
		}
	}
	_, id, err := planOf(3).Encode()
	if err != nil {
		t.Fatal(err)
	}
	body, _, _ := planOf(2).Encode()
	if err := store.Create(ctx, id.Key(), body); err != nil {
		t.Fatal(err)
	}
	if _, err := plans.Read(ctx, store, id); !errors.Is(err, plans.ErrPlan) {
		t.Errorf("read a plan under the id of another: %v", err)
	}
	cut := plans.ID{Hash: digest.OfBytes(body[:len(body)/2])}
	if err := store.Create(ctx, cut.Key(), body[:len(body)/2]); err != nil {
		t.Fatal(err)
	}
	if _, err := plans.Read(ctx, store, cut); !errors.Is(err, plans.ErrPlan) {
		t.Errorf("read half a plan under its own digest: %v", err)
	}
}

func TestTwoPlansThatBeginAlikeAreNotConfused(t *testing.T) {
	ctx, store := context.Background(), objstore.NewMemory()
	for _, end := range []string{"0", "1"} {
		if err := store.Create(ctx, "plans/"+strings.Repeat("ab", 31)+"c"+end, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := plans.Find(ctx, store, "abababab"); !errors.Is(err, plans.ErrNoPlan) || !strings.Contains(err.Error(), "more digits") {
		t.Errorf("find an ambiguous plan: %v", err)
	}
}

func TestSlicesAreDisjointCompleteAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := planOf(rapid.IntRange(0, 300).Draw(t, "tasks"))
		n := rapid.IntRange(1, 400).Draw(t, "slices")
		var all []plans.Task
		least, most := len(f.Tasks), 0
		for i := range n {
			slice, err := f.Slice(i, n)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, slice...)
			least, most = min(least, len(slice)), max(most, len(slice))
		}
		if len(all) != len(f.Tasks) || most-least > 1 {
			t.Fatalf("%d tasks in %d slices of %d to %d: %d in all", len(f.Tasks), n, least, most, len(all))
		}
		for i, task := range all {
			if task.Partition != f.Tasks[i].Partition {
				t.Fatalf("task %d is %s, want %s", i, task.Partition, f.Tasks[i].Partition)
			}
		}
	})
}

func TestASliceThatIsNotThereIsRefused(t *testing.T) {
	f := planOf(10)
	for _, at := range [][2]int{{-1, 3}, {3, 3}, {0, 0}, {0, -1}} {
		if _, err := f.Slice(at[0], at[1]); !errors.Is(err, plans.ErrSlice) {
			t.Errorf("slice %d of %d: %v", at[0], at[1], err)
		}
	}
	f.Atomic = true
	if _, err := f.Slice(0, 2); !errors.Is(err, plans.ErrSlice) {
		t.Errorf("an atomic plan was cut: %v", err)
	}
	if tasks, err := f.Slice(0, f.DefaultSlices()); err != nil || len(tasks) != 10 {
		t.Errorf("an atomic plan as one slice: %d tasks, %v", len(tasks), err)
	}
}

func TestSlicesAreManyMoreThanWorkersAndNotTooMany(t *testing.T) {
	for tasks, want := range map[int]int{0: 1, 1: 1, 32: 1, 33: 2, 8_760: 274, 100_000: 1_000} {
		f := plans.File{Tasks: make([]plans.Task, tasks)}
		if got := f.DefaultSlices(); got != want {
			t.Errorf("%d tasks are cut into %d slices, want %d", tasks, got, want)
		}
	}
}

// Every slice reads the whole plan, so a long one must not take several times its size.
func TestReadingAPlanTakesLittleMoreMemoryThanItHasBytes(t *testing.T) {
	body, _, err := planOf(20_000).Encode()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := plans.Decode(body)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || len(f.Tasks) != 20_000 || took > 2*uint64(len(body)) {
		t.Errorf("reading a plan of %d bytes took %d bytes of memory: %v", len(body), took, err)
	}
}

// A plan that was damaged is written anew by who makes the same one.
func TestADamagedPlanIsWrittenAnew(t *testing.T) {
	for name, found := range map[string]string{"empty": "", "cut off": `{"format":1`, "changed": "not a plan"} {
		ctx, store := t.Context(), objstore.NewMemory()
		body, id, err := planOf(3).Encode()
		if err == nil {
			err = store.Create(ctx, id.Key(), []byte(found))
		}
		if err != nil {
			t.Fatal(err)
		}
		written, err := plans.Write(ctx, store, planOf(3))
		if err != nil || written != id {
			t.Errorf("%s: written as %s, want %s: %v", name, written, id, err)
		}
		if is, err := store.Read(ctx, id.Key()); err != nil || !bytes.Equal(is, body) {
			t.Errorf("%s: it is %q, %v", name, is, err)
		}
	}
}

// One that is whole is left as it is, and one that can't be looked at is no success.
func TestAPlanThatIsThereIsLookedAtAndNotRemoved(t *testing.T) {
	ctx, store := t.Context(), objstore.NewMemory()
	if _, err := plans.Write(ctx, store, planOf(3)); err != nil {
		t.Fatal(err)
	}
	for op, refused := range map[objstore.Op]bool{objstore.OpDelete: false, objstore.OpRead: true} {
		broken := objstore.NewFault(store, func(of objstore.Op, _ string) objstore.Action {
			if of == op {
				return objstore.Fail
			}
			return objstore.Pass
		})
		if _, err := plans.Write(ctx, broken, planOf(3)); (err != nil) != refused {
			t.Errorf("without %v: %v", op, err)
		}
	}
}
