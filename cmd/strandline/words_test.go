package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// What dedup left out is no part of the sentence that says why a result is held.
func TestWhatIsHeldAndWhatDedupLeftOutAreApart(t *testing.T) {
	o := runner.Outcome{Verdict: manifests.Held, Repeated: 1, Findings: window.Findings{Violations: []string{"check range of amount: 1 row outside [0, 9], for example (amount=-5.00)"}}}
	if text := describeOutcome(manifests.DriverStream, "t", o); !strings.HasSuffix(text, "(amount=-5.00); 1 row left out by dedup") {
		t.Errorf("it says %s", text)
	}
	o = runner.Outcome{Verdict: manifests.Unchanged, Repeated: 2, Receipt: manifests.Receipt{}}
	if text := describeOutcome(manifests.DriverStream, "t", o); !strings.HasSuffix(text, ", 2 rows left out by dedup") {
		t.Errorf("it says %s", text)
	}
}

// A plan that tells what all costs says that this is of partitions, too, which nobody computes unasked.
func TestAPlanSaysThatItsCostIsOfWhatIsAsideToo(t *testing.T) {
	plan := window.Plan{Cost: window.Cost{Rows: 5}, Tasks: []window.Status{{State: window.Aside}, {State: window.Stale}}}
	if text := describePlan(plan); !strings.HasPrefix(text, "  computing all of them, also the 1 set aside, reads 5 input rows") {
		t.Errorf("it says %s", text)
	}
}

// stopper ends what writes to it once that says something.
type stopper struct {
	text strings.Builder
	at   string
	stop context.CancelFunc
}

func (s *stopper) Write(p []byte) (int, error) {
	s.text.Write(p)
	if strings.Contains(s.text.String(), s.at) {
		s.stop()
	}
	return len(p), nil
}

func TestAWorkerSaysThatItWaits(t *testing.T) {
	p := newProof(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	told := &stopper{at: "waiting for requests in " + p.path("lake") + "; interrupt to stop\n", stop: stop}
	code := run(ctx, &app{in: strings.NewReader(""), out: io.Discard, err: told, env: func(string) (string, bool) { return "", false }}, []string{"worker", "-c", p.path("strandline.yaml")})
	if code != exitDone || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("exit %d, it says\n%s", code, &told.text)
	}
	if out := p.bad(exitDone, "", "worker", "--once"); strings.Contains(out.err, "waiting") {
		t.Errorf("--once says\n%s", out.err)
	}
}
