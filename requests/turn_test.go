package requests

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// In one turn, one part may end the request of which another one speaks. Whoever wrote such an
// entry, the log stays readable.
func TestATurnThatEndsARequestTwiceLeavesTheLogReadable(t *testing.T) {
	plan := simPlan(0)
	first := held{part{plan, 0}, 2}
	for name, test := range map[string]struct {
		last turn
		want RequestState
	}{
		"trouble for the last time":   {turn{Released: []released{{held: first, Trouble: "the disk is full"}}, Broken: []broken{{plan, "its code was replaced"}}}, InPart},
		"too many failures":           {turn{Finished: []finished{{held: first, toll: toll{Failed: 1}}}, Broken: []broken{{plan, "its code was replaced"}}}, Broken},
		"broken twice":                {turn{Broken: []broken{{plan, "its code was replaced"}, {plan, "its plan is gone"}}}, Broken},
		"finished and given back":     {turn{Finished: []finished{{held: first}}, Released: []released{{held: first}}}, Running},
		"broken, of no known request": {turn{Broken: []broken{{simPlan(1), "its plan is gone"}}}, Running},
	} {
		t.Run(name, func(t *testing.T) {
			store := objstore.NewMemory()
			raw := log.New(store, prefix, log.Options{})
			var head log.Head
			enter := func(c change) {
				e, err := raw.Append(t.Context(), head, c)
				if err != nil {
					t.Fatal(err)
				}
				head = e.Head()
			}
			says := func(said turn) {
				said.Worker, said.LeaseMS = "one", 1000
				enter(change{Turn: &said})
			}
			s := simSubmission(plan, 2, 1)
			s.MaxFailures = 1
			if test.want == InPart {
				s.Slices = 1
			}
			enter(change{Submitted: &submitted{Submission: s}})
			says(turn{Claimed: []part{{plan, 0}}})
			if test.want == InPart { // then it was tried before, as often as it can be
				for n := range uint64(maxTries - 1) {
					says(turn{Released: []released{{held: held{part{plan, 0}, 2 + n}, Trouble: "the disk is full"}}, Claimed: []part{{plan, 0}}})
				}
				test.last.Released[0].Entry = head.Number
			}
			says(test.last)
			q := Open(store, log.Options{})
			if r, err := q.Find(t.Context(), plan.String()); err != nil || r.State() != test.want {
				t.Fatalf("the request is %v, want %s: %v", r, test.want, err)
			}
			if _, _, err := q.Submit(t.Context(), simSubmission(simPlan(2), 1, 1), nil, nil); err != nil {
				t.Errorf("nothing can be entered any more: %v", err)
			}
		})
	}
}

// What the state refuses would keep everybody from reading on. So it is not entered.
func TestWhatTheStateRefusesIsNotEntered(t *testing.T) {
	q := Open(objstore.NewMemory(), log.Options{})
	bad := change{Turn: &turn{Worker: "one", LeaseMS: time.Second.Milliseconds(), Claimed: []part{{simPlan(0), 0}}}}
	_, err := q.commit(t.Context(), func(*State) (*change, error) { return &bad, nil })
	if err == nil || !strings.Contains(err.Error(), "contradicts the log") {
		t.Errorf("a claim of a request that there is not: %v", err)
	}
	if _, _, err := q.Submit(t.Context(), simSubmission(simPlan(0), 1, 1), nil, nil); err != nil {
		t.Error(err)
	}
}

// A slice whose last try tells that there will never be another end says why its request ended.
func TestTheReasonThatEndsARequestIsToldAtTheLastTryToo(t *testing.T) {
	inBubble(t, func(t *testing.T, c *crew) {
		c.submit(simSubmission(simPlan(0), 1, 1))
		tries := 0
		stop := c.start(WorkerOptions{Name: "one"}, func(context.Context, int) Result {
			tries++
			return Result{Err: errors.New("its code was replaced"), Never: tries == maxTries}
		})
		time.Sleep(10 * time.Minute)
		stop()
		if r := c.is(Broken); tries != maxTries || r.Stop.Reason != "its code was replaced" {
			t.Errorf("after %d tries it ended by %+v", tries, r.Stop)
		}
	})
}

// In hand are the slices that are claimed, and as many of those that come next.
func TestWhatIsInHandIsClaimedOrComesNext(t *testing.T) {
	r := newRequest(simSubmission(simPlan(0), 8, 4), 1, time.Time{})
	if in := r.InHand(); in != nil {
		t.Errorf("in hand of a request that nobody works on are %v", in)
	}
	r.Run[0], r.Claims[1], r.Claims[4] = runWell, Claim{"one", 2}, Claim{"two", 3}
	if in, want := r.InHand(), []int{1, 2, 3, 4}; !slices.Equal(in, want) {
		t.Errorf("in hand are %v, want %v", in, want)
	}
	r.IsPaused = true
	if in := r.InHand(); in != nil {
		t.Errorf("in hand of a request that waits are %v", in)
	}
}
