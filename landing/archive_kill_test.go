package landing

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// Whoever archives may die at any call, done or not: what was said to have landed is
// known for ever, once, and in order.
func TestDyingAtEveryCallOfAnArchiveForgetsNoArrival(t *testing.T) {
	for _, done := range []bool{false, true} {
		for at, died := int64(0), true; died; at++ {
			memory := objstore.NewMemory()
			died = dieWhileArchiving(t, memory, at, done)
			s := open(t, memory, Options{ArchiveArrivals: 2})
			for i := range 10 { // lands the rest, and archives again
				landNth(t, s, i)
			}
			list := arrivals(t, s)
			if len(list) != 10 {
				t.Fatalf("died at call %d: %d arrivals are known, want 10", at, len(list))
			}
			for i, a := range list {
				if a.Name != fmt.Sprint("arrival ", i) || a.From != Position(i) {
					t.Fatalf("died at call %d: arrival %d is %+v", at, i, a)
				}
			}
			if archives, left := archivesOf(s); len(archives) == 0 || left >= 4 {
				t.Fatalf("died at call %d: %d archives, %d arrivals left", at, len(archives), left)
			}
		}
	}
}

// givesUp is the log of a process that dies: it asks no second time.
var givesUp = log.Options{Pause: func(context.Context, time.Duration) error { return errors.New("dead") }}

// dieWhileArchiving lands 3 arrivals, and then one whose store is gone from the nth
// call on; done tells whether that call was still carried out. It tells whether there
// were that many calls.
func dieWhileArchiving(t *testing.T, memory *objstore.Memory, n int64, done bool) (died bool) {
	t.Helper()
	s := open(t, memory, Options{ArchiveArrivals: 2})
	for i := range 3 {
		landNth(t, s, i)
	}
	var calls atomic.Int64
	store := objstore.NewFault(memory, func(objstore.Op, string) objstore.Action {
		switch at := calls.Add(1) - 1; {
		case at < n:
			return objstore.Pass
		case at == n && done:
			return objstore.LoseAnswer
		}
		return objstore.Fail
	})
	dying := open(t, store, Options{ArchiveArrivals: 2, Log: givesUp})
	_, _ = land(dying, "arrival 3", row(3, 3))
	return calls.Load() > n
}
