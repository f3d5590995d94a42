package landing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"strandline/internal/objstore"
)

// What holds the rows of an hour is made when it is first asked for, also where several
// ask at the same time.
func TestSeveralMayAskAtOnceForLessThanAllThatLanded(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{})
	random := rand.New(rand.NewPCG(2, 2))
	for i := range 10 {
		if _, err := land(s, fmt.Sprint(i), randomRows(random, 1+random.IntN(20))...); err != nil {
			t.Fatal(err)
		}
	}
	s.View(func(state *State) {
		hours, half := Hours{From: -5, To: 5}, state.Next()/2
		var found [4]Input
		var asking sync.WaitGroup
		for i := range found {
			asking.Go(func() { found[i], _ = state.InputBounds(hours, half) })
		}
		asking.Wait()
		for _, in := range found {
			if in != found[0] || in.Rows == 0 {
				t.Errorf("found %+v and %+v", in, found[0])
			}
		}
	})
}

// So are the sums of some hours, and of more than there are parts.
func TestSeveralMayAskAtOnceForSomeHours(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{})
	const far = 10 * around
	for i := range int64(2 * mostParts) {
		if _, err := land(s, fmt.Sprint(i), row(i*far*microsPerHour, i)); err != nil {
			t.Fatal(err)
		}
	}
	s.View(func(state *State) {
		var asking sync.WaitGroup
		for i := range int64(8 * mostParts) {
			asking.Go(func() {
				hour := i / 4 * far
				if in := state.InputOf(Hours{hour, hour + 1}); in.Rows != 1 {
					t.Errorf("hour %d has %d rows, want 1", hour, in.Rows)
				}
				if held := state.holding(hour); len(held) != 1 {
					t.Errorf("hour %d is held by %d segments, want 1", hour, len(held))
				}
			})
		}
		asking.Wait()
		if _, all := state.EachHour(everyHour); len(slices.Collect(all)) != 2*mostParts {
			t.Errorf("there are rows of the hours %v", slices.Collect(all))
		}
	})
}
