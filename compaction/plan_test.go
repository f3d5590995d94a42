package compaction

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strandline/internal/datafile"
	"strandline/landing"
)

var limits = Limits{Target: 1000, Growth: 4, Members: 64, Columns: 600}

// sized makes segments of so many rows, a byte each, one after the other.
func sized(rows ...int64) []landing.Segment {
	var segments []landing.Segment
	var base landing.Position
	for i, n := range rows {
		segments = append(segments, landing.Segment{ID: fmt.Sprint(i), Base: base, Rows: n, Bytes: n})
		base += landing.Position(n)
	}
	return segments
}

func TestWhatIsMerged(t *testing.T) {
	for name, c := range map[string]struct {
		rows []int64
		want string
	}{
		"nothing":                       {nil, ""},
		"one segment":                   {[]int64{1}, ""},
		"three of a size":               {[]int64{5, 5, 5}, ""},
		"four of a size":                {[]int64{5, 5, 5, 5}, "0-3"},
		"all that are small":            {[]int64{5, 4, 3, 5, 4, 6, 5}, "0-6"},
		"large ones stay":               {[]int64{2000, 5, 5, 5, 5, 1000, 7, 7, 7, 7}, "1-4 6-9"},
		"a much larger one stays":       {[]int64{100, 5, 5, 5, 5}, "1-4"},
		"a larger one among many":       {[]int64{100, 99, 99, 99, 5, 5}, "0-5"},
		"two that reach the target":     {[]int64{600, 600}, "0-1"},
		"one and crumbs do not":         {[]int64{998, 1, 1}, ""},
		"no more than twice the target": {[]int64{900, 900, 900, 900}, "0-1 2-3"},
	} {
		if got := describe(Plan(sized(c.rows...), limits)); got != c.want {
			t.Errorf("%s: of %v it merges %q, want %q", name, c.rows, got, c.want)
		}
	}
}

func describe(tasks []Task) string {
	var words []string
	for _, task := range tasks {
		words = append(words, task.Segments[0].ID+"-"+task.Segments[len(task.Segments)-1].ID)
	}
	return strings.Join(words, " ")
}

func TestSegmentsOfOtherColumnsAreNotMerged(t *testing.T) {
	segments := sized(5, 5, 5, 5, 5, 5, 5, 5)
	for i := range segments[:4] {
		segments[i].Columns = []datafile.Column{{Name: "new"}}
	}
	if got := describe(Plan(segments, limits)); got != "0-3 4-7" {
		t.Errorf("it merges %q, want each half by itself", got)
	}
}

func TestFewerSegmentsOfManyColumnsAreMergedAtOnce(t *testing.T) {
	for columns, want := range map[int]string{0: "0-63 64-99", 54: "0-9 10-19 20-29 30-39 40-49 50-59 60-69 70-79 80-89 90-99", 1000: "0-7"} {
		segments := sized(slices.Repeat([]int64{1}, 100)...)
		for i := range segments {
			segments[i].Columns = make([]datafile.Column, columns)
		}
		if got := describe(Plan(segments, limits)); !strings.HasPrefix(got, want) {
			t.Errorf("of %d columns it merges %q, want %q", columns, got, want)
		}
	}
}

func TestNoMergeIsLargerThanItsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		segments := sized(rapid.SliceOfN(rapid.Int64Range(1, 1500), 0, 400).Draw(t, "rows")...)
		next := 0
		for _, task := range Plan(segments, limits) {
			at := slices.IndexFunc(segments, func(s landing.Segment) bool { return s.ID == task.Segments[0].ID })
			if at < next || len(task.Segments) < 2 || len(task.Segments) > limits.Members || task.Bytes > 2*limits.Target {
				t.Fatalf("%s of %d bytes", describe([]Task{task}), task.Bytes)
			}
			for i, s := range task.Segments {
				if s.ID != segments[at+i].ID || s.Bytes >= limits.Target {
					t.Fatalf("%s is not a run of small segments", describe([]Task{task}))
				}
			}
			next = at + len(task.Segments)
		}
	})
}

// life is a stream to which segments are added and which is compacted, with how
// often each of its segments' rows were rewritten at most.
type life struct {
	segments  []landing.Segment
	rewritten map[string]int
	rows      int64
	moved     int64 // rows that were rewritten, each time they were
}

func (l *life) land(rows, bytes int64) {
	id := fmt.Sprint(len(l.rewritten))
	l.segments = append(l.segments, landing.Segment{ID: id, Base: landing.Position(l.rows), Rows: rows, Bytes: bytes})
	l.rewritten[id], l.rows = 0, l.rows+rows
}

// settle compacts until nothing is left to do. A merged file has that share of
// the bytes that went in, in per cent.
func (l *life) settle(share int64) {
	for tasks := Plan(l.segments, limits); len(tasks) > 0; tasks = Plan(l.segments, limits) {
		for _, task := range tasks {
			id, times := fmt.Sprint(len(l.rewritten)), 0
			for _, s := range task.Segments {
				times = max(times, l.rewritten[s.ID])
			}
			l.rewritten[id], l.moved = times+1, l.moved+task.Rows
			at := slices.IndexFunc(l.segments, func(s landing.Segment) bool { return s.ID == task.Segments[0].ID })
			merged := landing.Segment{ID: id, Base: task.Segments[0].Base, Rows: task.Rows, Bytes: max(1, task.Bytes*share/100)}
			l.segments = slices.Replace(slices.Clone(l.segments), at, at+len(task.Segments), merged)
		}
	}
}

func TestEachRowIsRewrittenALogarithmOfTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := life{rewritten: map[string]int{}}
		share := rapid.Int64Range(5, 110).Draw(t, "share")
		for range rapid.IntRange(1, 60).Draw(t, "rounds") {
			for range rapid.IntRange(1, 40).Draw(t, "arrivals") {
				rows := rapid.Int64Range(1, rapid.SampledFrom([]int64{1, 10, 300}).Draw(t, "most")).Draw(t, "rows")
				l.land(rows, 1+rows*rapid.Int64Range(1, 9).Draw(t, "bytes a row"))
			}
			l.settle(share)
		}
		for _, s := range l.segments {
			if most := bits.Len64(uint64(s.Rows)); l.rewritten[s.ID] > most {
				t.Fatalf("a segment of %d rows was rewritten %d times, more than %d", s.Rows, l.rewritten[s.ID], most)
			}
		}
	})
}

// Three hours of a small arrival a second, compacted every ten minutes, and every
// second.
func TestOneSecondArrivalsLeaveFewSegmentsForFewRewrites(t *testing.T) {
	for every, want := range map[int]struct {
		segments int
		rewrites int64
	}{600: {30, 3}, 1: {30, 5}} {
		l := life{rewritten: map[string]int{}}
		for second := range 3 * 60 * 60 {
			l.land(1, 1)
			if second%every == every-1 {
				l.settle(100)
			}
		}
		l.settle(100)
		if n := len(l.segments); n > want.segments || l.moved > want.rewrites*l.rows {
			t.Errorf("every %d s: %d segments, %.1f rewrites a row", every, n, float64(l.moved)/float64(l.rows))
		} else {
			t.Logf("every %d s: %d segments, %.1f rewrites a row", every, n, float64(l.moved)/float64(l.rows))
		}
	}
}
