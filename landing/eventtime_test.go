package landing

import (
	"errors"
	"testing"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// otherTime opens a stream whose event time is declared in another unit.
func otherTime(t *testing.T, store objstore.Store) *Stream {
	t.Helper()
	other := spec
	other.EventTime.Unit = UnitMillis
	return Open(store, other, Options{Scratch: t.TempDir()})
}

func TestTheMeaningOfEventTimeIsFixedByTheFirstRows(t *testing.T) {
	store := objstore.NewMemory()
	wrong, right := otherTime(t, store), open(t, store, Options{})
	in, err := wrong.Begin(Source{Name: "rejects alone"})
	check(t, err)
	check(t, in.Reject(Reject{SourcePosition: 1, Reason: "event time", Raw: []byte("{}")}))
	_, err = in.Commit(t.Context(), identity("rejects alone"))
	check(t, err)
	_, err = claim(wrong, "empty", Claim{Progress: []Progress{{Source: "k", To: 5}}})
	check(t, err)
	begun, err := wrong.Begin(Source{Name: "begun"})
	check(t, err)
	check(t, begun.Add(row(1, 1)))

	_, err = land(right, "first rows", row(1, 1))
	check(t, err)
	if _, err := begun.Commit(t.Context(), identity("begun")); !errors.Is(err, ErrEventTimeChanged) {
		t.Errorf("who began before the first rows landed: %v, want ErrEventTimeChanged", err)
	}
	for name, rows := range map[string][]Row{"rows": {row(1, 1)}, "none": nil} {
		if _, err := land(otherTime(t, store), name, rows...); !errors.Is(err, ErrEventTimeChanged) {
			t.Errorf("%s: got %v, want ErrEventTimeChanged", name, err)
		}
	}
	faults := 0
	x, err := Examine(t.Context(), store, spec.Stream, func(log.Finding) { faults++ }, func(uint64, Arrival) {}, func(string) {})
	if err != nil || faults > 0 || *x.State.eventTime != spec.EventTime {
		t.Errorf("%d faults (%v), and the event time %v", faults, err, x.State.eventTime)
	}
}

// A checkpoint of an older program has the event time of a stream without rows.
func TestACheckpointWithoutRowsFixesNoEventTime(t *testing.T) {
	for rows, want := range []*EventTime{nil, &spec.EventTime} {
		s := open(t, objstore.NewMemory(), Options{})
		_, err := land(s, "a")
		check(t, err)
		if rows > 0 {
			_, err = land(s, "b", row(1, 1))
			check(t, err)
		}
		s.View(func(state *State) {
			older := *state
			older.eventTime = &spec.EventTime
			data, err := older.AppendBinary(nil)
			check(t, err)
			read := newState()
			check(t, read.UnmarshalBinary(data))
			if (read.eventTime == nil) != (want == nil) {
				t.Errorf("%d rows: the event time is %v, want %v", rows, read.eventTime, want)
			}
		})
	}
}
