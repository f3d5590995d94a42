package runner

import (
	"testing"
	"testing/synctest"
	"time"
)

// readyAfter sends an attempt after each of some times, counted from the one before, and
// then says that no more come.
func readyAfter(attempts chan<- attempt, pauses ...time.Duration) {
	for _, pause := range pauses {
		time.Sleep(pause) // of the bubble's clock
		attempts <- attempt{}
	}
	close(attempts)
}

func TestResultsWaitForOneAnotherNoLongerThanAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts, began := make(chan attempt), time.Now()
		go readyAfter(attempts, 400*time.Millisecond, 500*time.Millisecond, 200*time.Millisecond)
		if ready := gatherFor(time.Second, attempt{}, attempts); len(ready) != 3 || time.Since(began) != time.Second {
			t.Errorf("%d were gathered in %v, want 3 in a second", len(ready), time.Since(began))
		}
		if _, more := <-attempts; !more {
			t.Error("the last one is lost")
		}
	})
}

// The last of a run, and what is ready when a run is told to end, wait for nothing.
func TestResultsDoNotWaitOnceNoMoreCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts, began := make(chan attempt), time.Now()
		go readyAfter(attempts, 100*time.Millisecond)
		if ready := gatherFor(time.Second, attempt{}, attempts); len(ready) != 2 || time.Since(began) != 100*time.Millisecond {
			t.Errorf("%d were gathered in %v, want 2 in 100ms", len(ready), time.Since(began))
		}
	})
}
