package landing

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/log"
)

// applied has the state apply an entry's body.
func applied(s *State, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.Apply(log.Entry{Body: text})
}

// compactionOf puts one segment in the place of a run of a state's.
func compactionOf(run []Segment, id string) Compaction {
	c := Compaction{Segment: Segment{ID: id, Base: run[0].Base, Columns: run[0].Columns, Buckets: mergedBuckets(run)}}
	for _, segment := range run {
		c.Replaced = append(c.Replaced, segment.ID)
		c.Segment.Rows += segment.Rows
	}
	return c
}

// drawnCommit lands some segments of rows that have drawn digests.
func drawnCommit(t *rapid.T, n int, next Position) *Commit {
	c := &Commit{EventTime: spec.EventTime, Arrival: Arrival{Identity: identity(fmt.Sprint(n)), Name: fmt.Sprint(n)}}
	for g := range rapid.IntRange(0, 3).Draw(t, "segments") {
		buckets := sums{}
		rows := rapid.IntRange(1, 5).Draw(t, "rows")
		for offset := range rows {
			one := digest.Sum128{Hi: rapid.Uint64().Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
			buckets.of(rapid.Int64Range(-2, 2).Draw(t, "hour")).add(one, int64(offset))
		}
		c.Segments = append(c.Segments, Segment{ID: fmt.Sprint(n, "/", g), Rows: int64(rows), Buckets: BucketsOf(buckets.sorted())})
	}
	c.rebase(next)
	return c
}

func TestCompactionsAndExpiriesChangeSegmentsAndNoInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, compacted := newState(), newState()
		for n := range rapid.IntRange(1, 12).Draw(t, "entries") {
			if rapid.Bool().Draw(t, "ask") {
				compacted.holding(0) // from now on that is kept
			}
			if rapid.Bool().Draw(t, "ask for some") {
				compacted.InputOf(drawnRange(t)) // and so is that
			}
			c := drawnCommit(t, n, plain.Next())
			check(t, applied(plain, c))
			check(t, applied(compacted, c))
			if segments := compacted.Segments(); len(segments) > 1 && rapid.Bool().Draw(t, "compact") {
				from := rapid.IntRange(0, len(segments)-2).Draw(t, "from")
				to := rapid.IntRange(from+2, len(segments)).Draw(t, "to")
				check(t, applied(compacted, record{Compaction: ptr(compactionOf(segments[from:to], fmt.Sprint("c", n)))}))
			}
			if n := len(compacted.segments); n > 1 && rapid.IntRange(0, 3).Draw(t, "expire") == 0 {
				check(t, applied(compacted, record{Expiry: ptr(compacted.expiry(rapid.IntRange(1, n-1).Draw(t, "oldest")))}))
			}
		}
		same(t, plain, compacted)
		text, err := compacted.AppendBinary(nil)
		check(t, err)
		read := newState()
		check(t, read.UnmarshalBinary(text))
		samePart(t, plain, compacted)
		for _, state := range []*State{read, compacted} { // as if only every hour had been asked for
			state.hours.all, state.hours.held = &summed{}, &holders{in: everyHour}
			state.setArrivals(state.arrivals) // as if nobody had looked for any
			state.sumsOf(everyHour)
			for hour := range int64(fewHours + 1) { // then it is made
				state.holding(hour)
			}
		}
		if !slices.Equal(read.sumsOf(everyHour), compacted.sumsOf(everyHour)) {
			t.Fatal("the state of a checkpoint sums up to others")
		}
		read.hours.all = compacted.hours.all
		if !reflect.DeepEqual(read, compacted) {
			t.Fatal("the state of a checkpoint is another")
		}
		for hour := int64(-3); hour < 3; hour++ {
			if !slices.Equal(compacted.search(hour), compacted.holding(hour)) {
				t.Fatalf("hour %d is found elsewhere than it is held", hour)
			}
		}
	})
}

// drawnRange is a range about the hours of drawnCommit, far off or very long.
func drawnRange(t *rapid.T) Hours {
	from := rapid.SampledFrom([]int64{-1000, -3, -2, -1, 0, 1, 2, 1000, -1 << 30}).Draw(t, "first hour")
	return Hours{from, from + rapid.SampledFrom([]int64{1, 2, 3, 1100, 1 << 31}).Draw(t, "hours")}
}

// samePart holds the sums of some hours, whatever parts of them were made before, against
// those of every hour, and what holds these.
func samePart(t *rapid.T, plain, compacted *State) {
	for range 8 {
		r := drawnRange(t)
		if got, want := compacted.sumsOf(r), plain.sumsOf(everyHour).within(r); !slices.Equal(got, want) {
			t.Fatalf("hours %v have the sums %v, want %v", r, got, want)
		}
		if got, want := compacted.holding(r.From), compacted.search(r.From); !slices.Equal(got, want) {
			t.Fatalf("hour %d is held by %v, want %v", r.From, got, want)
		}
	}
}

// same holds a state against one of the same rows in segments as they landed.
func same(t *rapid.T, plain, compacted *State) {
	if !reflect.DeepEqual(plain.arrivals, compacted.arrivals) || plain.Next() != compacted.Next() {
		t.Fatal("other arrivals")
	}
	for from := int64(-3); from < 3; from++ {
		hours := Hours{From: from, To: from + rapid.Int64Range(1, 4).Draw(t, "hours")}
		if got, want := compacted.InputOf(hours), plain.InputOf(hours); got != want {
			t.Fatalf("hours %v have the input %+v, want %+v", hours, got, want)
		}
		for upTo := Position(0); upTo <= plain.Next(); upTo++ {
			sameUpTo(t, plain, compacted, hours, upTo)
		}
	}
}

// sameUpTo asks as receipts do, which name positions that rows landed up to.
func sameUpTo(t *rapid.T, plain, compacted *State, hours Hours, upTo Position) {
	want, most := plain.InputBounds(hours, upTo)
	if want != most {
		return // within a segment as it landed
	}
	least, most := compacted.InputBounds(hours, upTo)
	segments, err := compacted.SegmentsOf(hours, upTo)
	straddled := err != nil || slices.ContainsFunc(segments, func(g Segment) bool { return g.End() > upTo })
	switch {
	case !straddled && (least != want || most != want):
		t.Fatalf("hours %v up to %d: from %+v to %+v, want %+v", hours, upTo, least, most, want)
	case least.Rows > want.Rows || most.Rows < want.Rows:
		t.Fatalf("hours %v up to %d: %d rows are not from %d to %d", hours, upTo, want.Rows, least.Rows, most.Rows)
	case least.Rows == want.Rows && least != want, most.Rows == want.Rows && most != want:
		t.Fatalf("hours %v up to %d: as many rows, of another digest", hours, upTo)
	}
}

func TestACompactionThatContradictsTheLogIsCorrupt(t *testing.T) {
	for name, alter := range map[string]func(*Compaction){
		"nothing":                     func(*Compaction) {},
		"a segment that is not there": func(c *Compaction) { c.Replaced[1] = "gone" },
		"segments in another order":   func(c *Compaction) { slices.Reverse(c.Replaced) },
		"a segment less":              func(c *Compaction) { c.Replaced = c.Replaced[:2] },
		"one segment": func(c *Compaction) {
			*c = compactionOf([]Segment{{ID: "0", Rows: 2, Columns: spec.Columns, Buckets: c.Segment.Buckets}}, "n")
		},
		"no segment":                      func(c *Compaction) { c.Replaced, c.Segment.Base = nil, 6 },
		"a segment that begins elsewhere": func(c *Compaction) { c.Segment.Base++ },
		"a segment of a taken id":         func(c *Compaction) { c.Segment.ID = "3" },
		"fewer rows":                      func(c *Compaction) { c.Segment.Rows--; withBucket(&c.Segment, 0, func(b *Bucket) { b.Rows-- }) },
		"more rows":                       func(c *Compaction) { c.Segment.Rows++; withBucket(&c.Segment, 0, func(b *Bucket) { b.Rows++ }) },
		"another row":                     func(c *Compaction) { withBucket(&c.Segment, 0, func(b *Bucket) { b.Sum.Lo++ }) },
		"rows at other positions":         func(c *Compaction) { withBucket(&c.Segment, 0, func(b *Bucket) { b.Moment.Lo++ }) },
		"rows of another hour":            func(c *Compaction) { withBucket(&c.Segment, 0, func(b *Bucket) { b.Hour-- }) },
		"other columns":                   func(c *Compaction) { c.Segment.Columns = []datafile.Column{} },
	} {
		state := newState()
		for i := range 4 {
			buckets := []Bucket{{Hour: 3, Rows: 2, Sum: digest.Sum128{Lo: uint64(i + 7)}, Moment: digest.Sum128{Lo: 5}}}
			c := Commit{EventTime: spec.EventTime, Arrival: Arrival{Identity: identity(fmt.Sprint(i)), Name: fmt.Sprint(i)},
				Segments: []Segment{{ID: fmt.Sprint(i), Rows: 2, Columns: spec.Columns, Buckets: BucketsOf(buckets)}}}
			c.rebase(state.Next())
			check(t, applied(state, &c))
		}
		before, err := state.AppendBinary(nil)
		check(t, err)
		c := compactionOf(state.Segments()[:3], "n")
		alter(&c)
		err = applied(state, record{Compaction: &c})
		if corrupt := errors.Is(err, log.ErrCorrupt); corrupt == (name == "nothing") {
			t.Errorf("with %s: %v", name, err)
		}
		after, marshalErr := state.AppendBinary(nil)
		check(t, marshalErr)
		if err != nil && !slices.Equal(before, after) {
			t.Errorf("with %s: what was refused changed the state", name)
		}
	}
}

func TestAnEntryOfNoKnownKindOrOfTwoIsCorrupt(t *testing.T) {
	for _, body := range []string{`{}`, `{"compacted":{}}`, `null`, `[]`, oneCommit[:len(oneCommit)-1] + `,"compaction":{"replaced":[]}}`} {
		if err := newState().Apply(log.Entry{Body: []byte(body)}); !errors.Is(err, log.ErrCorrupt) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func ptr[T any](v T) *T { return &v }
