package landing

import (
	"fmt"
	"math/rand/v2"
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
