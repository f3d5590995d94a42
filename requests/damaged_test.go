package requests

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/log"
)

// A slice that meets what a person has to mend waits for that, however often it was tried, and
// holds up no other.
func TestASliceThatMeetsDamageWaitsUntilThatIsMended(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 3, 1))
		var mended atomic.Bool
		stop := c.start(WorkerOptions{Name: "one"}, func(_ context.Context, slice int) Result {
			if slice == 0 && !mended.Load() {
				return Result{Err: errors.New("a segment is lost"), Damage: true}
			}
			return Result{}
		})
		time.Sleep(time.Hour)
		r := c.is(Running)
		if r.SlicesRun() != 2 || r.Tries[0] != 0 {
			t.Errorf("%d slices were run, and the other tried %d times that count; want 2 and none", r.SlicesRun(), r.Tries[0])
		}
		c.mu.Lock()
		if told := strings.Count(strings.Join(c.told, "\n"), "a segment is lost"); told != 1 {
			t.Errorf("it was told %d times: %q", told, c.told)
		}
		c.mu.Unlock()
		mended.Store(true)
		time.Sleep(3 * judgeAgain)
		c.is(Done)
		stop()
	})
}

func TestAWorkerThatEndsByItselfEndsWithTheDamage(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 2, 1))
		w := NewWorker(c.queue, WorkerOptions{
			Name: "one", Slots: 1, Once: true, Tell: func(string, ...any) {},
			Judge: func(context.Context, *Request) (Verdict, error) { return Verdict{Accepts: true}, nil },
			Run: func(context.Context, *Request, int, <-chan struct{}) Result {
				return Result{Err: errors.New("a segment is lost"), Damage: true}
			},
		})
		if err := w.Work(t.Context()); err == nil || strings.Count(err.Error(), "a segment is lost") != 1 || !strings.Contains(err.Error(), simPlan(0).Short()) {
			t.Errorf("it ended with %v", err)
		}
		c.is(Waiting)
	})
}

func TestAWorkerThatHasNoSlicesSaysNothingOfThem(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		if err := c.store.Create(t.Context(), "requests/log/00000000000000000001.json", []byte("{")); err != nil {
			t.Fatal(err)
		}
		stop := c.start(WorkerOptions{Name: "one"}, nil)
		time.Sleep(time.Minute)
		stop()
		if told := strings.Join(c.told, "\n"); !strings.Contains(told, "corrupt") || strings.Contains(told, "giving them back") {
			t.Errorf("it says\n%s", told)
		}
	})
}

// The newest entry is lost under a worker that has read it, and its number is taken by the next that is made.
func TestAWorkerGoesOnWhereTheNewestEntryIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		stop := c.start(WorkerOptions{Name: "one"}, takes(0))
		time.Sleep(time.Minute)
		c.is(Done)
		all, err := c.store.List(t.Context(), "requests/log/", "", 100)
		c.do(err)
		c.do(c.store.Delete(t.Context(), all[len(all)-1].Key))
		_, _, err = Open(c.store, log.Options{}).Submit(t.Context(), simSubmission(simPlan(1), 1, 1), nil, nil)
		c.do(err)
		time.Sleep(2 * lookAgain)
		stop()
		state := map[RequestState]int{}
		requests, err := Open(c.store, log.Options{}).List(t.Context())
		c.do(err)
		for _, r := range requests {
			state[r.State()]++
		}
		if told := strings.Join(c.said(), "\n"); state[Done] != 2 || strings.Count(told, "has lost entries") != 1 {
			t.Errorf("the requests are %v, and it says\n%s", state, told)
		}
	})
}
