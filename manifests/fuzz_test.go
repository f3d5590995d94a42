package manifests

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"strandline/internal/log"
	"strandline/internal/log/logtest"
	"strandline/internal/objstore"
)

// onePublished is a state of generation 1 with one partition.
func onePublished() *State {
	s := newState()
	s.definition = definition("c")
	s.definition.Generation = 1
	s.publish(receipt(1, "i", "c", "r", 10))
	return s
}

// FuzzAnEditIsAppliedWholeOrCorrupt also looks that no edit but a rollback or
// a rebuild, which say so, takes a partition back to older input or away.
func FuzzAnEditIsAppliedWholeOrCorrupt(f *testing.F) {
	good, err := json.Marshal(Edit{Driver: DriverStream, Generation: 1, Receipts: []Receipt{receipt(1, "j", "c", "q", 11)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"generation":1,"released":["x"],"dropped":["x"],"held":[{}]}`))
	f.Add([]byte(`{"generation":1,"rollback":{"to":9,"removed":["2026-03-01"]}}`))
	f.Add([]byte(`{"generation":2,"define":{"generation":2},"rebuild":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		state := onePublished()
		before, _ := state.AppendBinary(nil)
		err := state.Apply(log.Entry{Number: 7, Body: body})
		after, _ := state.AppendBinary(nil)
		switch {
		case err == nil:
		case !errors.Is(err, log.ErrCorrupt):
			t.Fatalf("an error without a name: %v", err)
		case string(before) != string(after):
			t.Fatalf("a refused edit left\n%s, was\n%s", after, before)
		}
		var edit Edit
		if json.Unmarshal(body, &edit) != nil || edit.Rebuild || edit.Rollback != nil {
			return
		}
		if r, there := state.partitions.get("2026-03-01"); !there || r.Positions["s"] < 10 {
			t.Fatalf("the partition is now %+v", r)
		}
		state.snapshot("t")
		state.Fence(DriverStream, 1, receipt(1, "i", "c", "r", 10))
	})
}

func FuzzAStateIsReadWholeOrRefused(f *testing.F) {
	good, err := onePublished().AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("\x02{}\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x11{\"held\":{\"a\":{}}}\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		state, again := newState(), newState()
		if err := state.UnmarshalBinary(data); err != nil {
			return
		}
		_ = state.Apply(log.Entry{Number: 9, Body: []byte(`{"generation":1}`)})
		state.snapshot("t").Receipts()
		text, err := state.AppendBinary(nil)
		if err != nil {
			return // a time beyond the year 9999 can't be written
		}
		if err := again.UnmarshalBinary(text); err != nil {
			t.Fatalf("a state does not read what it wrote: %v\n%s", err, text)
		}
	})
}

// FuzzADamagedManifestLogIsCorruptOrAsItWas damages the log of a table with
// receipts, a failure, a candidate and something set aside.
func FuzzADamagedManifestLogIsCorruptOrAsItWas(f *testing.F) {
	store := objstore.NewMemory()
	if err := manyEdits(f.Context(), store); err != nil {
		f.Fatal(err)
	}
	objects, err := logtest.Take(f.Context(), store, "tables/t")
	if err != nil {
		f.Fatal(err)
	}
	want, err := openTable(f.Context(), store)
	if err != nil {
		f.Fatal(err)
	}
	logtest.Seeds(f)
	f.Fuzz(func(t *testing.T, kind uint8, which, other, at uint16, value byte) {
		logtest.Check(t, objects, want, openTable, logtest.Tampering{Kind: kind, Which: which, Other: other, At: at, Value: value})
	})
}

func manyEdits(ctx context.Context, store objstore.Store) error {
	table := Open(store, "t", Options{})
	generation, err := table.Register(ctx, DriverStream, definition("c"))
	if err != nil {
		return err
	}
	for i := range int64(98) {
		r := receipt(1+int(i)%20, string(rune('a'+i)), "c", "r", i)
		if _, err := table.Publish(ctx, Proposal{Generation: generation, Receipts: []Receipt{r}}); err != nil {
			return err
		}
	}
	failed := Failure{Partition: "2026-03-30", Start: day(30), End: day(31), Reason: "no"}
	held := Candidate{Receipt: receipt(2, "held", "c", "r", 500), Violations: []string{"no"}}
	_, err = table.Publish(ctx, Proposal{Generation: generation, Failures: []Failure{failed}, Held: []Candidate{held}})
	if err != nil {
		return err
	}
	_, err = rollback(ctx, table, 90)
	return err
}

func openTable(ctx context.Context, store objstore.Store) (string, error) {
	s := Open(store, "t", Options{})
	if _, err := s.Snapshot(ctx); err != nil {
		return "", err
	}
	var text []byte
	var err error
	s.follow.View(func(state *State, _ log.Head) { text, err = state.AppendBinary(nil) })
	return string(text), err
}
