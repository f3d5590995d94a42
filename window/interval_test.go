package window

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// What is looked for among joined intervals is what is looked for among them one by one.
func TestJoinedIntervalsOverlapWhatTheyDid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	anyOf := func() Interval {
		from := time.Unix(random.Int64N(60), 0).UTC()
		return Interval{from, from.Add(time.Duration(1+random.IntN(9)) * time.Second)}
	}
	for range 3000 {
		var some []Interval
		for range random.IntN(6) {
			some = append(some, anyOf())
		}
		all, i := joined(some), anyOf()
		if got, want := overlapsAny(all, i), slices.ContainsFunc(some, i.Overlaps); got != want {
			t.Fatalf("%v among %v, joined to %v: %v, want %v", i, some, all, got, want)
		}
		for n := range all {
			if n > 0 && !all[n-1].End.Before(all[n].Start) {
				t.Fatalf("%v are joined to %v, which touch", some, all)
			}
		}
	}
}
