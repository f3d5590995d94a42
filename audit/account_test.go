package audit_test

import (
	"testing"
	"time"

	"strandline/audit"
	"strandline/internal/objstore"
	"strandline/sweep"
)

func accounts(t *testing.T, store objstore.Store, grace time.Duration, now time.Time) ([]audit.Account, audit.Amount) {
	t.Helper()
	all, foreign, err := audit.Accounting{
		Store: store, Now: func() time.Time { return now }, Sweep: sweep.Options{Grace: grace},
	}.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all, foreign
}

func TestALakesAccountsAddUp(t *testing.T) {
	whole, _ := built(t)
	whole["landing/sales/data/"+someID+".parquet"] = []byte("left")
	whole["mine.txt"] = []byte("foreign")
	store := whole.put(t, objstore.NewMemory())
	all, foreign := accounts(t, store, 0, time.Now())
	if len(all) != 2 || foreign != (audit.Amount{Objects: 1, Bytes: 7}) {
		t.Fatalf("got %+v, foreign %+v", all, foreign)
	}
	sales, table := all[0], all[1]
	if sales.In != "stream sales" || sales.Rows != 15 || sales.Files != 5 || sales.Small != 5 || sales.Of[audit.Entries].Objects != 5 || sales.Of[audit.Checkpoints].Objects != 1 {
		t.Errorf("the stream: %+v", sales)
	}
	if sales.Old != (audit.Amount{Objects: 1, Bytes: 4}) || sales.Young != (audit.Amount{}) || sales.Merges != 1 || sales.Mergeable != 5 {
		t.Errorf("the stream's upkeep: %+v", sales)
	}
	if table.In != "table sales_hourly" || table.Rows != 12 || table.Files != 4 || table.Versions != int64(table.Of[audit.Entries].Objects) || table.Versions < 5 {
		t.Errorf("the table: %+v", table)
	}
	objects, bytes := 1, int64(7)
	for _, account := range all {
		objects, bytes = objects+account.Objects, bytes+account.Bytes
	}
	size := int64(0)
	for _, body := range whole {
		size += int64(len(body))
	}
	if objects != len(whole) || bytes != size {
		t.Errorf("accounts have %d objects of %d bytes, the lake %d of %d", objects, bytes, len(whole), size)
	}
}

func TestAYoungUnnamedFileIsCountedApart(t *testing.T) {
	whole, _ := built(t)
	whole["landing/sales/data/"+someID+".parquet"] = []byte("left")
	all, _ := accounts(t, whole.put(t, objstore.NewMemory()), time.Hour, time.Now())
	if all[0].Old.Objects != 0 || all[0].Young.Objects != 1 {
		t.Errorf("got %+v", all[0])
	}
}

func TestOnlyTheLastDayIsItsPace(t *testing.T) {
	whole, _ := built(t)
	store := whole.put(t, objstore.NewMemory())
	for hours, want := range map[int]int{23: 5, 25: 0} {
		all, _ := accounts(t, store, 0, time.Now().Add(time.Duration(hours)*time.Hour))
		if day := all[0].Day; day.Entries != want || all[0].Calls.List != want*audit.ListsPerArrival || want == 0 && all[0].Calls != (audit.Calls{}) {
			t.Errorf("%d hours later: %+v, %+v", hours, day, all[0].Calls)
		}
	}
}

// The estimate of calls counts what a commit really makes, where no checkpoint is due.
func TestACommitMakesTheCallsThatAreEstimated(t *testing.T) {
	store := objstore.NewFault(objstore.NewMemory(), nil)
	b := newBuilder(t, store)
	b.land("a", 0, 1)
	b.publish()
	b.land("b", 1, 2)
	b.land("c", 2, 3)
	b.publish()
	made := func(do func()) audit.Calls {
		before, puts, lists := taken(t, store), store.Calls(objstore.OpCreate)+store.Calls(objstore.OpUpload), store.Calls(objstore.OpList)
		do()
		calls := audit.Calls{
			Put:  store.Calls(objstore.OpCreate) + store.Calls(objstore.OpUpload) - puts,
			List: store.Calls(objstore.OpList) - lists,
		}
		if objects := len(taken(t, store)) - len(before); calls.Put != objects {
			t.Errorf("%d PUT for %d objects", calls.Put, objects)
		}
		return calls
	}
	if calls := made(func() { b.land("d", 3, 4) }); calls.List != audit.ListsPerArrival {
		t.Errorf("an arrival makes %+v", calls)
	}
	if calls := made(b.publish); calls.List != audit.ListsPerEdit {
		t.Errorf("an edit makes %+v", calls)
	}
}
