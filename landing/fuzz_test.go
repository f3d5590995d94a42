package landing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"strandline/internal/log"
	"strandline/internal/log/logtest"
	"strandline/internal/objstore"
)

// ask puts every question to a state, up to its end and before.
func ask(s *State) {
	for _, upTo := range []Position{0, 1, s.Next()} {
		for _, hours := range []Hours{{-10, 10}, {-1 << 40, 1 << 40}} {
			s.InputBounds(hours, upTo)
			_, _ = s.SegmentsOf(hours, upTo)
		}
		s.HourIndex(0, upTo)
	}
}

const oneCommit = `{"event_time":{"column":"at","unit":"us"},"segments":[{"id":"a","base":0,"rows":2,"buckets":[{"hour":-1,"rows":1,"sum":"00000000000000000000000000000001"},{"hour":3,"rows":1}]}],"arrival":{"digest":"","size":1,"name":"n","landed_at":"2026-01-02T03:04:05Z","from":0,"to":2,"rejects":0}}`

func FuzzACommitIsAppliedWholeOrCorrupt(f *testing.F) {
	f.Add([]byte(oneCommit))
	f.Add([]byte(`{"segments":[{"rows":-1}],"arrival":{"to":-1}}`))
	f.Add([]byte(`{"segments":[{"rows":9223372036854775807,"buckets":[{"rows":9223372036854775807}]},{"base":9223372036854775807,"rows":1,"buckets":[{"rows":1}]}],"arrival":{"to":-9223372036854775808}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		state := newState()
		err := state.Apply(log.Entry{Number: 1, Body: body})
		if err != nil && !errors.Is(err, log.ErrCorrupt) {
			t.Fatalf("an error without a name: %v", err)
		}
		if err != nil && (len(state.arrivals) > 0 || len(state.segments) > 0) {
			t.Fatalf("a refused commit left %+v", state)
		}
		ask(state)
		if err := state.Apply(log.Entry{Number: 2, Body: body}); err == nil && len(state.arrivals) == 2 {
			t.Fatal("the same arrival was taken twice")
		}
	})
}

func TestACommitThatContradictsTheLogIsCorrupt(t *testing.T) {
	segment := Segment{ID: "b", Base: 2, Rows: 1, Buckets: []Bucket{{Hour: 3, Rows: 1}}}
	good := Commit{EventTime: spec.EventTime, Arrival: Arrival{Identity: identity("b"), Name: "b", From: 2, To: 3}, Segments: []Segment{segment}}
	for name, change := range map[string]func(*Commit){
		"nothing":                       func(*Commit) {},
		"an arrival that has landed":    func(c *Commit) { c.Arrival.Identity = Identity{Size: 1} },
		"positions left out":            func(c *Commit) { c.Arrival.From, c.Arrival.To, c.Segments = 9, 2, nil },
		"positions that are taken":      func(c *Commit) { c.Arrival.From, c.Arrival.To, c.Segments = 0, 2, nil },
		"more positions than rows":      func(c *Commit) { c.Arrival.To++ },
		"a segment that is there":       func(c *Commit) { c.Segments[0].ID = "a" },
		"a segment that leaves a gap":   func(c *Commit) { c.Segments[0].Base++ },
		"buckets that count other rows": func(c *Commit) { c.Segments[0].Buckets = nil },
		"another event time":            func(c *Commit) { c.EventTime.Unit = UnitMillis },
	} {
		state := newState()
		if err := state.Apply(log.Entry{Number: 1, Body: []byte(oneCommit)}); err != nil {
			t.Fatal(err)
		}
		c := good
		c.Segments = []Segment{segment}
		change(&c)
		body, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		err = state.Apply(log.Entry{Number: 2, Body: body})
		if corrupt := errors.Is(err, log.ErrCorrupt); corrupt == (name == "nothing") {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

func FuzzAStateIsReadWholeOrRefused(f *testing.F) {
	landed := newState()
	if err := landed.Apply(log.Entry{Number: 1, Body: []byte(oneCommit)}); err != nil {
		f.Fatal(err)
	}
	good, err := landed.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("\x02{}\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x0d{\"expired\":2}\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		state, again := newState(), newState()
		if err := state.UnmarshalBinary(data); err != nil {
			return
		}
		ask(state)
		written, err := state.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.UnmarshalBinary(written); err != nil {
			t.Fatalf("a state does not read what it wrote: %v\n%q", err, written)
		}
	})
}

// FuzzADamagedLandingLogIsCorruptOrAsItWas damages the log of a real stream,
// with a checkpoint and a tail.
func FuzzADamagedLandingLogIsCorruptOrAsItWas(f *testing.F) {
	store := objstore.NewMemory()
	stream := Open(store, spec, Options{Scratch: f.TempDir()})
	for i := range 104 {
		if _, err := land(stream, fmt.Sprint(i), row(int64(i)*microsPerHour/7, int64(i))); err != nil {
			f.Fatal(err)
		}
	}
	objects, err := logtest.Take(f.Context(), store, "landing/s")
	if err != nil {
		f.Fatal(err)
	}
	want, err := openLanding(f.Context(), store)
	if err != nil {
		f.Fatal(err)
	}
	logtest.Seeds(f)
	f.Fuzz(func(t *testing.T, kind uint8, which, other, at uint16, value byte) {
		logtest.Check(t, objects, want, openLanding, logtest.Tampering{Kind: kind, Which: which, Other: other, At: at, Value: value})
	})
}

func openLanding(ctx context.Context, store objstore.Store) (string, error) {
	s := Open(store, spec, Options{})
	if err := s.Refresh(ctx); err != nil {
		return "", err
	}
	var text []byte
	var err error
	s.View(func(state *State) { text, err = state.AppendBinary(nil) })
	return string(text), err
}
