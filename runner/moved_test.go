package runner

import (
	"errors"
	"testing"

	"strandline/manifests"
)

func TestAStreamThatComputesAndChangesNothingSaysSo(t *testing.T) {
	trigger := func(outcomes ...Outcome) Report { return Report{Outcomes: outcomes} }
	nothing := trigger(Outcome{Verdict: manifests.Behind}, Outcome{Verdict: manifests.StillHeld}, Outcome{Verdict: manifests.SetAside})
	f := &follower{}
	for i := range stuckAfter - 1 {
		if err := f.moved(nothing); err != nil {
			t.Fatalf("after %d triggers: %v", i+1, err)
		}
	}
	if err := f.moved(nothing); err == nil {
		t.Fatalf("after %d triggers that changed nothing nothing is said", stuckAfter)
	}
	for name, moves := range map[string]Outcome{
		"published":  {Verdict: manifests.Swap, Version: 7},
		"reproduced": {Verdict: manifests.Unchanged},
		"found done": {Verdict: manifests.Already},
		"failed":     {Err: errors.New("it failed, and is recorded or waits")},
	} {
		if err := f.moved(trigger(nothing.Outcomes[0], moves)); err != nil || f.stuck != 0 {
			t.Errorf("%s: %v, counted %d", name, err, f.stuck)
		}
	}
}
