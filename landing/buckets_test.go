package landing

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strandline/internal/digest"
	"strandline/internal/packed"
)

// withBucket changes a segment's bucket at i.
func withBucket(g *Segment, i int, change func(*Bucket)) {
	list := g.Buckets.List()
	change(&list[i])
	g.Buckets = BucketsOf(list)
}

func drawnBuckets(t *rapid.T) (list []Bucket) {
	total := sums{}
	for range rapid.IntRange(0, 6).Draw(t, "buckets") {
		b := total.of(rapid.Int64().Draw(t, "hour"))
		b.Rows = rapid.Int64Range(1, math.MaxInt64).Draw(t, "rows")
		b.Sum = digest.Sum128{Hi: rapid.Uint64().Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
		b.Moment = digest.Sum128{Hi: rapid.Uint64().Draw(t, "moment hi"), Lo: rapid.Uint64().Draw(t, "moment lo")}
	}
	return total.sorted()
}

func TestBucketsHoldWhatTheyAreMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawnBuckets(t)
		l := BucketsOf(list)
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(list)
		if len(list) == 0 {
			want = []byte("null")
		}
		var w packed.Writer
		l.packed(&w)
		r := packed.NewReader(w.Bytes)
		var read Buckets
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]Buckets{"made": l, "of JSON": read, "of packed bytes": readBuckets(r)} {
			if !slices.Equal(got.List(), list) || !got.Equal(l) || !reflect.DeepEqual(got, l) {
				t.Fatalf("%s: %v, want %v", what, got.List(), list)
			}
			for i, b := range list {
				if got.of(b.Hour) != b || got.Hours()[i] != b.Hour {
					t.Fatalf("%s: hour %d is %v, want %v", what, b.Hour, got.of(b.Hour), b)
				}
			}
		}
		if string(text) != string(want) {
			t.Fatalf("JSON %s, want %s", text, want)
		}
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBucketsOutOfOrderOrOfOtherRowsAreRefused(t *testing.T) {
	good := []Bucket{{Hour: -1, Rows: 2}, {Hour: 0, Rows: 1}, {Hour: 7, Rows: 4}}
	for name, c := range map[string]struct {
		list []Bucket
		rows int64
		want bool
	}{
		"right":          {good, 7, true},
		"none":           {nil, 0, true},
		"none, of rows":  {nil, 1, false},
		"too few rows":   {good, 8, false},
		"too many rows":  {good, 6, false},
		"an hour twice":  {[]Bucket{good[0], good[0]}, 4, false},
		"backwards":      {[]Bucket{good[1], good[0]}, 3, false},
		"without a row":  {[]Bucket{{Hour: 1}, {Hour: 2, Rows: 1}}, 1, false},
		"less than none": {[]Bucket{{Hour: 1, Rows: -1}, {Hour: 2, Rows: 2}}, 1, false},
		"rows past all":  {[]Bucket{{Hour: 1, Rows: math.MaxInt64}, {Hour: 2, Rows: math.MaxInt64}, {Hour: 3, Rows: 2}}, 0, false},
	} {
		if err := BucketsOf(c.list).check(c.rows); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
