package runner

import (
	"errors"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/manifests"
	"strandline/window"
)

func TestAStreamThatEndsAsksForWhatWasThereUntilItIsSettled(t *testing.T) {
	partition := func(day int) window.Partition {
		return window.GrainDay.Containing(time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC))
	}
	status := func(day int, input string) window.Status {
		s := window.Status{Partition: partition(day)}
		s.Input.Digest = digest.OfBytes([]byte(input))
		return s
	}
	for name, c := range map[string]struct {
		outcome Outcome
		next    string // input
		want    bool
	}{
		"published":                             {Outcome{Verdict: manifests.Swap, Version: 7}, "j", false},
		"failed":                                {Outcome{Err: errors.New("it failed")}, "i", false},
		"superseded, and the input is another":  {Outcome{Verdict: manifests.Behind}, "j", false},
		"superseded, and the input is the same": {Outcome{Verdict: manifests.Behind}, "i", true},
	} {
		f := &follower{waiting: map[string]waiting{}}
		tasks := f.asked([]window.Status{status(1, "i")})
		c.outcome.Partition = partition(1)
		f.remember(window.Plan{Tasks: tasks}, Report{Outcomes: []Outcome{c.outcome}}, time.Time{})
		again := f.asked([]window.Status{status(1, c.next), status(2, "i")})
		if asked := len(again) == 1; len(again) > 1 || asked != c.want {
			t.Errorf("%s: asks for %v", name, again)
		}
	}
}
