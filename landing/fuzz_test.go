package landing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
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
		s.Hours(Rows{At: []Range{{0, upTo}}})
	}
}

const oneCommit = `{"event_time":{"column":"at","unit":"us"},"segments":[{"id":"a","base":0,"rows":2,"buckets":[{"hour":-1,"rows":1,"sum":"00000000000000000000000000000001"},{"hour":3,"rows":1}]}],"arrival":{"digest":"","size":1,"name":"n","landed_at":"2026-01-02T03:04:05Z","from":0,"to":2,"rejects":0}}`

// oneClaim is an entry that claims all that one may.
const oneClaim = `{"claimed":{"event_time":{"column":"at","unit":"us"},"segments":[{"id":"a","base":0,"rows":2,"buckets":[{"hour":-1,"rows":2}]}],"arrival":{"digest":"","size":-1,"name":"n","landed_at":"2026-01-02T03:04:05Z","from":0,"to":2,"rejects":2,"reject_files":["r"],"version":"v"},"progress":[{"source":"p","from":3,"to":9,"gap":{"from":4,"to":5,"reason":"lost"}}],"keys":[{"digest":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","body":"","from":1,"to":2,"rejects":1,"reasons":[{"line":1,"text":"why"}],"until":"2026-01-03T03:04:05Z"}]}}`

// oneRetry is an entry that lands a reject of oneClaim again.
const oneRetry = `{"claimed":{"event_time":{"column":"at","unit":"us"},"segments":[],"arrival":{"digest":"","size":-2,"name":"rejects","landed_at":"2026-01-02T03:04:05Z","from":2,"to":2,"rejects":0},"retried":[{"file":"r","records":[{"from":0,"to":1}]}]}}`

// oneMarked is an entry that says how far it brings the stream, and oneRule one by which
// its watermark goes.
const (
	oneMarked = `{"marked":{"event_time":{"column":"at","unit":"us"},"segments":[{"id":"m","base":0,"rows":2,"buckets":[{"hour":-1,"rows":2}]}],"arrival":{"digest":"","size":-1,"name":"n","landed_at":"2026-01-02T03:04:05Z","from":0,"to":2,"rejects":0},"marks":[{"way":"dir","latest":"2026-01-02T03:04:05Z"},{"way":"http","ahead":1}],"marked_at":"2026-01-02T03:04:06Z"}}`
	oneRule   = `{"watermark":{"delay_ns":60000000000,"idle_ns":1,"skew_ns":0,"at":"2026-01-02T03:14:05Z"}}`
)

func FuzzACommitIsAppliedWholeOrCorrupt(f *testing.F) {
	f.Add([]byte(oneCommit))
	f.Add([]byte(oneClaim))
	f.Add([]byte(oneMarked))
	f.Add([]byte(oneRule))
	f.Add([]byte(oneRetry))
	f.Add([]byte(`{"segments":[{"rows":-1}],"arrival":{"to":-1}}`))
	f.Add([]byte(`{"segments":[{"rows":9223372036854775807,"buckets":[{"rows":9223372036854775807}]},{"base":9223372036854775807,"rows":1,"buckets":[{"rows":1}]}],"arrival":{"to":-9223372036854775808}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		state := newState()
		err := state.Apply(log.Entry{Number: 1, Body: body})
		if err != nil && !errors.Is(err, log.ErrCorrupt) {
			t.Fatalf("an error without a name: %v", err)
		}
		if err != nil && !reflect.DeepEqual(state, newState()) {
			t.Fatalf("a refused commit left %+v", state)
		}
		ask(state)
		if err := state.Apply(log.Entry{Number: 2, Body: body}); err == nil && len(state.arrivals) == 2 {
			t.Fatal("the same arrival was taken twice")
		}
	})
}

func TestACommitThatContradictsTheLogIsCorrupt(t *testing.T) {
	segment := Segment{ID: "b", Base: 2, Rows: 1, Buckets: BucketsOf([]Bucket{{Hour: 3, Rows: 1}})}
	good := Commit{EventTime: spec.EventTime, Arrival: Arrival{Identity: identity("b"), Name: "b", From: 2, To: 3}, Segments: []Segment{segment}}
	for name, change := range map[string]func(*Commit){
		"nothing":                       func(*Commit) {},
		"an arrival that has landed":    func(c *Commit) { c.Arrival.Identity = Identity{Size: 1} },
		"positions left out":            func(c *Commit) { c.Arrival.From, c.Arrival.To, c.Segments = 9, 2, nil },
		"positions that are taken":      func(c *Commit) { c.Arrival.From, c.Arrival.To, c.Segments = 0, 2, nil },
		"more positions than rows":      func(c *Commit) { c.Arrival.To++ },
		"a segment that is there":       func(c *Commit) { c.Segments[0].ID = "a" },
		"a segment that leaves a gap":   func(c *Commit) { c.Segments[0].Base++ },
		"buckets that count other rows": func(c *Commit) { c.Segments[0].Buckets = Buckets{} },
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

func TestAClaimThatContradictsTheLogIsCorrupt(t *testing.T) {
	retried := func(file string, records ...Span) []Retried { return []Retried{{File: file, Records: records}} }
	for name, change := range map[string]func(*Commit){
		"nothing":                     func(*Commit) {},
		"offsets read on":             func(c *Commit) { c.Progress = []Progress{{Source: "p", From: 9, To: 9}} },
		"offsets that were read":      func(c *Commit) { c.Progress = []Progress{{Source: "p", From: 8, To: 10}} },
		"offsets left out":            func(c *Commit) { c.Progress = []Progress{{Source: "p", From: 10, To: 11}} },
		"a source twice":              func(c *Commit) { c.Progress = []Progress{{Source: "q", To: 1}, {Source: "q", From: 1, To: 2}} },
		"a gap elsewhere":             func(c *Commit) { c.Progress = []Progress{{Source: "q", To: 1, Gap: &Gap{To: 2}}} },
		"a key of another half":       func(c *Commit) { c.Keys = []Key{{Digest: keyOf("b"), From: 2, To: 2}} },
		"a key that has landed":       func(c *Commit) { c.Keys = []Key{{Digest: keyOf("a"), From: 2, To: 2}} },
		"a key twice":                 func(c *Commit) { c.Keys = []Key{{From: 2, To: 2}, {From: 2, To: 2}} },
		"a key of rows that were":     func(c *Commit) { c.Keys = []Key{{From: 1, To: 2}} },
		"a key of rows that are not":  func(c *Commit) { c.Keys = []Key{{From: 2, To: 3}} },
		"a reject that is pending":    func(c *Commit) { c.Retried = retried("r", Span{1, 2}) },
		"a reject that landed again":  func(c *Commit) { c.Retried = retried("r", Span{0, 1}) },
		"a reject that never was":     func(c *Commit) { c.Retried = retried("r", Span{1, 3}) },
		"rejects of no file":          func(c *Commit) { c.Retried = retried("s", Span{1, 2}) },
		"no rejects of a file":        func(c *Commit) { c.Retried = retried("r") },
		"rejects before the first":    func(c *Commit) { c.Retried = retried("r", Span{-1, 1}) },
		"rejects that touch":          func(c *Commit) { c.Retried = retried("r", Span{0, 0}, Span{1, 2}) },
		"a content and a key of none": func(c *Commit) { c.Arrival.Identity = Identity{Size: unknownSize} },
	} {
		good := map[string]bool{"nothing": true, "offsets read on": true, "a key of another half": true, "a reject that is pending": true}
		state := newState()
		claim := strings.Replace(oneClaim, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", keyOf("a").String(), 1)
		for i, body := range []string{claim, oneRetry} {
			check(t, state.Apply(log.Entry{Number: uint64(i + 1), Body: []byte(body)}))
		}
		c := &Commit{EventTime: spec.EventTime, Arrival: Arrival{Identity: identity("b"), Name: "b", From: 2, To: 2}}
		change(c)
		body, err := json.Marshal(record{Claimed: c})
		check(t, err)
		if err := state.Apply(log.Entry{Number: 3, Body: body}); (err == nil) != good[name] || err != nil && !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

func FuzzAStateIsReadWholeOrRefused(f *testing.F) {
	for _, history := range [][]string{{oneCommit}, {oneClaim}, {oneClaim, oneRetry}, {oneMarked, oneRule}} {
		landed := newState()
		for i, body := range history {
			if err := landed.Apply(log.Entry{Number: uint64(i + 1), Body: []byte(body)}); err != nil {
				f.Fatal(err)
			}
		}
		good, err := landed.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(good)
	}
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
		if twice, err := again.AppendBinary(nil); err != nil || !bytes.Equal(twice, written) {
			t.Fatalf("a state is another when it is read back (%v):\n%q\n%q", err, written, twice)
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
