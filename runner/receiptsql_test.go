package runner_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/landing"
)

// The SQL that people get is held against the definition of the input digest:
// hours before 1970, segments of other columns, and positions beyond 32 bits.
func TestInputDigestSQLSaysWhatTheLogSays(t *testing.T) {
	store := folder(t)
	random := seeded(t, 23)
	l := newLake(t, store)
	old := landing.Open(store, landing.Spec{Stream: "sales", EventTime: salesSpec.EventTime, Columns: salesSpec.Columns[:2]}, landing.Options{Scratch: l.dir})
	for i := range 4 {
		sales := randomSales(random, 50)
		for n := range sales {
			sales[n].at = time.Unix(random.Int64N(40*3600)-20*3600, 0)
			if n%5 == 0 {
				sales[n].shop = "it's 100%, ünïcode"
			}
		}
		if i%2 == 1 {
			landOld(t, old, i, sales)
			continue
		}
		l.land(fmt.Sprint(i), sales...)
	}
	must(t, l.stream.Refresh(t.Context()))
	rederiver := l.stream.Rederiver(localfile.New(l.store, l.dir, localfile.DefaultMaxBytes))
	for range 10 {
		from := random.Int64N(30) - 20
		hours := landing.Hours{From: from, To: from + 1 + random.Int64N(10)}
		var segments []landing.Segment
		var want landing.Input
		l.stream.View(func(s *landing.State) {
			var err error
			segments, err = s.SegmentsOf(hours, s.Next())
			must(t, err)
			want = s.InputOf(hours)
		})
		if len(segments) == 0 {
			continue
		}
		if got := l.inputBySQL(segments, hours, l.stream.Next()); got != want {
			t.Fatalf("hours %v: SQL says %+v, the log %+v", hours, got, want)
		}
		within := landing.Position(random.Int64N(int64(l.stream.Next())))
		want, err := rederiver.Input(t.Context(), hours, within)
		must(t, err)
		if got := l.inputBySQL(segments, hours, within); got != want {
			t.Fatalf("hours %v up to %d: SQL says %+v, the rows %+v", hours, within, got, want)
		}
		far(random, segments)
		if got, want := l.inputBySQL(segments, hours, math.MaxInt64), byDefinition(segments, hours); got != want {
			t.Fatalf("hours %v at positions from %d: SQL says %+v, want %+v", hours, segments[0].Base, got, want)
		}
	}
}

func landOld(t *testing.T, stream *landing.Stream, i int, sales []sale) {
	t.Helper()
	in, err := stream.Begin(landing.Source{Name: fmt.Sprint("old ", i)})
	must(t, err)
	for n, s := range sales {
		values := []datafile.Value{{}, {}} // NULLs
		must(t, in.Add(landing.Row{EventTime: s.at.UnixMicro(), SourcePosition: int64(n), Values: values, Extra: `{"a":"x"}`}))
	}
	_, err = in.Commit(t.Context(), landing.Identity{Digest: digest.OfBytes([]byte{byte(i)})})
	must(t, err)
}

// far moves segments to positions that only a very long stream has.
func far(random *rand.Rand, segments []landing.Segment) {
	for i := range segments {
		segments[i].Base += landing.Position(random.Int64N(1 << 61))
	}
}

// byDefinition sums the buckets up as the definition has it.
func byDefinition(segments []landing.Segment, hours landing.Hours) landing.Input {
	type total struct {
		rows        int64
		sum, moment digest.Sum128
	}
	totals := map[int64]total{}
	for _, g := range segments {
		for b := range g.Buckets.All() {
			if b.Hour >= hours.From && b.Hour < hours.To {
				t := totals[b.Hour]
				totals[b.Hour] = total{t.rows + b.Rows, t.sum.Add(b.Sum), t.moment.Add(b.Moment).Add(b.Sum.Mul(uint64(g.Base)))}
			}
		}
	}
	var in landing.Input
	var text []byte
	for _, hour := range slices.Sorted(maps.Keys(totals)) {
		in.Rows += totals[hour].rows
		text = fmt.Appendf(text, "%d %d %s %s\n", hour, totals[hour].rows, totals[hour].sum, totals[hour].moment)
	}
	if in.Rows > 0 {
		in.Digest = sha256.Sum256(text)
	}
	return in
}

func (l *lake) inputBySQL(segments []landing.Segment, hours landing.Hours, upTo landing.Position) landing.Input {
	l.t.Helper()
	var paths []string
	for _, g := range segments {
		paths = append(paths, duck.Path(l.store.URL(l.stream.SegmentKey(g.ID))))
	}
	session, err := l.engine.Session(l.t.Context())
	must(l.t, err)
	defer session.Close()
	rows, err := session.Query(l.t.Context(), landing.InputDigestSQL(segments, paths, hours, upTo))
	must(l.t, err)
	defer rows.Close()
	row, err := rows.Next(l.t.Context())
	must(l.t, err)
	hash, err := digest.ParseHash(row[1].(string))
	must(l.t, err)
	return landing.Input{Rows: row[0].(int64), Digest: hash}
}
