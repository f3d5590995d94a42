package main

import (
	"encoding/json"
	"strings"
	"testing"

	"strandline/requests"
)

// asked submits a backfill of all sales, and returns its id.
func (p proof) asked(args ...string) string {
	p.t.Helper()
	out := p.good(append([]string{"backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04"}, args...)...)
	id, _, _ := strings.Cut(out, "\n")
	return id
}

// newSales lands sales of two days, of which one was published.
func newSales(t *testing.T) proof {
	p := newProof(t)
	p.write("c.ndjson", `{"at":"2026-03-02T10:00:00Z","shop":"x","cents":5}`+"\n"+`{"at":"2026-03-03T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	return p
}

// stands is what list says of a request.
func (p proof) stands(id string) (f requestFact) {
	p.t.Helper()
	for line := range strings.Lines(p.run("backfill", "list", "--json").out) {
		var one requestFact
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			p.t.Fatal(err)
		}
		if one.Request == id {
			f = one
		}
	}
	return f
}

func TestASubmittedBackfillIsListedShownAndRun(t *testing.T) {
	p := newSales(t)
	id := p.asked("--slices", "2", "--priority", "high")
	if r := p.run("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04", "--slices", "2"); r.out != id+"\n" || !strings.Contains(r.err, "is there already: it is waiting") {
		t.Errorf("submitted again:\n%s%s", r.out, r.err)
	}
	if f := p.stands(id); f.State != requests.Waiting || f.Partitions != 2 || *f.Progress != (progressFact{Left: 2}) || f.Priority != requests.PriorityHigh || f.By == "" {
		t.Errorf("list says %+v", f)
	}
	if out := p.good("worker", "--once", "--parallel", "1"); strings.Count(out, " published ") != 2 {
		t.Errorf("the worker says\n%s", out)
	}
	if f := p.stands(id); f.State != requests.Done || f.Run != 2 {
		t.Errorf("list says %+v", f)
	}
	if out := p.good("backfill", "show", id[:8]); !strings.Contains(out, "request "+id) || !strings.Contains(out, "slices: 2, 4 at a time: 2 run") {
		t.Errorf("show says\n%s", out)
	}
	if r := p.run("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04"); r.code != exitDone || r.out != "" || r.err != "sales_hourly: nothing is to be computed\n" {
		t.Errorf("submitted when all is done: exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// A table can go back behind what was done. Then the same plan is there to be done again.
func TestWhatWasDoneAndIsNotAnyMoreIsDoneAgain(t *testing.T) {
	p := newSales(t)
	first := p.asked("--slices", "2")
	p.good("worker", "--once")
	p.good("rollback", "sales_hourly", "--to", "2")
	if again := p.asked("--slices", "2"); again != first {
		t.Fatalf("submitted again it is %s, was %s", again, first)
	}
	if f := p.stands(first); f.State == requests.Done || f.Progress.Left != 2 {
		t.Errorf("list says %+v", f)
	}
	if out := p.good("worker", "--once"); strings.Count(out, " published ") != 2 {
		t.Errorf("the worker says\n%s", out)
	}
}

// So it is with the same request, however it has ended.
func TestWhatARollbackTookBackIsDoneAgainByARequestThatIsResumed(t *testing.T) {
	for _, first := range []string{"", "cancel"} {
		p := newSales(t)
		id := p.asked("--slices", "2")
		p.good("worker", "--once")
		p.good("rollback", "sales_hourly", "--to", "2")
		if first != "" {
			p.good("backfill", "resume", id)
			p.good("backfill", first, id)
		}
		if out := p.good("backfill", "resume", id); !strings.Contains(out, "waiting, 0 of 2 partitions done") {
			t.Errorf("resume says\n%s", out)
		}
		if out := p.good("worker", "--once"); strings.Count(out, " published ") != 2 {
			t.Errorf("the worker says\n%s", out)
		}
		if f := p.stands(id); f.State != requests.Done || f.Progress.Done != 2 {
			t.Errorf("list says %+v", f)
		}
		p.bad(exitUsage, "has ended: it is done", "backfill", "resume", id)
	}
}

func TestARecomputeThatWasDoneIsDoneAgain(t *testing.T) {
	p := newSales(t)
	p.asked()
	p.good("worker", "--once")
	first := p.asked("--recompute")
	for range 2 {
		p.good("worker", "--once")
		if f := p.stands(first); f.State != requests.Done {
			t.Fatalf("list says %+v", f)
		}
		if again := p.asked("--recompute"); again != first {
			t.Fatalf("submitted again it is %s, was %s", again, first)
		}
		if f := p.stands(first); f.State != requests.Waiting {
			t.Errorf("list says %+v", f)
		}
	}
}

func TestAScheduleThatRecomputesRunsAtEveryDueTime(t *testing.T) {
	p := newSales(t)
	p.write("strandline.yaml", proveYAML+"    schedule: {every: 1h, last: 4d, recompute: true}\n")
	p.good("run", "--once")
	one := p.process("2026-03-04T20:30:00Z")
	for _, due := range []string{"2026-03-04T21:00:00Z", "2026-03-04T22:00:00Z"} {
		if got := one.at(due); !strings.HasPrefix(got, "3 partitions of sales_hourly") {
			t.Fatalf("at %s: %q", due, got)
		}
		if out := p.good("worker", "--once"); strings.Count(out, "\n") != 3 {
			t.Errorf("of what was due at %s the worker says\n%s", due, out)
		}
	}
	if list := p.good("backfill", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("the plans are not the same:\n%s", list)
	}
}

func TestARequestIsPausedResizedCancelledAndResumed(t *testing.T) {
	p := newSales(t)
	id := p.asked()
	p.good("backfill", "pause", id)
	p.good("backfill", "resize", id[:8], "--parallel", "7")
	if out := p.good("worker", "--once"); out != "" {
		t.Errorf("of a request that is paused a worker does\n%s", out)
	}
	if f := p.stands(id); f.State != requests.Paused || f.Parallel != 7 {
		t.Errorf("list says %+v", f)
	}
	p.good("backfill", "resume", id)
	p.good("backfill", "cancel", id)
	p.good("backfill", "cancel", id)
	if f := p.stands(id); f.State != requests.Cancelled || f.EndedBy != f.By {
		t.Errorf("list says %+v", f)
	}
	p.bad(exitUsage, "has ended: it is cancelled", "backfill", "pause", id)
	if again := p.asked(); again != id {
		t.Errorf("submitted again it is %s, was %s", again, id)
	}
	p.good("worker", "--once")
	if f := p.stands(id); f.State != requests.Done {
		t.Errorf("list says %+v", f)
	}
	p.bad(exitUsage, "has ended: it is done", "backfill", "resume", id)
}

func TestARequestWhoseCodeWasReplacedEndsAndOneOfAnotherConfigurationWaits(t *testing.T) {
	p := newSales(t)
	id := p.asked()
	p.rewrite("sum(cents)", "sum(cents + 1)")
	if r := p.run("worker", "--once"); r.code != exitDone || r.out != "" || !strings.Contains(r.err, "is left to others: it is of code ") {
		t.Errorf("a worker of other code: exit %d\n%s%s", r.code, r.out, r.err)
	}
	if f := p.stands(id); f.State != requests.Waiting {
		t.Errorf("list says %+v", f)
	}
	if r := p.run("backfill", "submit", "sales_hourly", "--last", "1d"); r.code != exitDone || !strings.Contains(r.err, "so 1 request of other code will end as failed: "+id[:8]) {
		t.Errorf("submitting with other code: exit %d\n%s%s", r.code, r.out, r.err)
	}
	p.good("worker", "--once")
	if f := p.stands(id); f.State != requests.Broken || !strings.Contains(f.Reason, "submit it again") {
		t.Errorf("list says %+v", f)
	}
}

func TestFailuresOfARequestAreTold(t *testing.T) {
	p := newSales(t)
	p.rewrite("sum(cents)", "sum(cents * 1100000000000000000)") // which 9 is too many for
	id := p.asked("--slices", "3")
	p.bad(exitSomeFailed, "to learn why: strandline backfill show ", "worker", "--once")
	if f := p.stands(id); f.State != requests.InPart || f.Failed != 1 {
		t.Errorf("list says %+v", f)
	}
	if out := p.good("backfill", "show", id); !strings.Contains(out, "\n2026-03-02: ") || !strings.Contains(out, "verflow") {
		t.Errorf("show says\n%s", out)
	}
}

func TestWhatIsSubmittedWronglyIsRefused(t *testing.T) {
	p := newSales(t)
	for words, args := range map[string][]string{
		"give the range":        {},
		`--priority "huge"`:     {"--last", "7d", "--priority", "huge"},
		"want 1 to 1000":        {"--last", "7d", "--slices", "1001"},
		"want at least 1":       {"--last", "7d", "--parallel", "0"},
		"is one slice":          {"--last", "7d", "--atomic", "--slices", "2"},
		"unknown flag":          {"--rebuild"},
		"newest, oldest or ran": {"--last", "7d", "--order", "best"},
	} {
		p.bad(exitUsage, words, append([]string{"backfill", "submit", "sales_hourly"}, args...)...)
	}
	for _, command := range []string{"show", "cancel", "pause", "resume"} {
		p.bad(exitUsage, "no such request", "backfill", command, "0123456789")
	}
	p.bad(exitUsage, "1 to 1000", "backfill", "resize", p.asked(), "--parallel", "0")
	if out := p.good("backfill", "list", "--json"); strings.Count(out, "\n") != 1 {
		t.Errorf("list says\n%s", out)
	}
}

// What is said of a request counts one kind of thing at a time, and says what a command has changed.
func TestWhatIsSaidOfARequestIsNotTakenForAnother(t *testing.T) {
	f := requestFact{State: requests.Running, Partitions: 9, Slices: 10, Run: 2, Progress: &progressFact{Failed: 4, Untold: 5}}
	if far := f.far(); far != ", 2 of 10 slices run, 4 of the partitions failed" {
		t.Errorf("it says %q", far)
	}
	f.Progress.Before = 4
	if far := f.far(); far != ", 2 of 10 slices run, 4 of the partitions failed before it began" {
		t.Errorf("of what failed before it says %q", far)
	}
	f.Progress.Before = 3
	if far := f.far(); !strings.HasSuffix(far, ", 4 of the partitions failed (3 of these before it began)") {
		t.Errorf("of what failed before in part it says %q", far)
	}
	p := newSales(t)
	id := p.asked("--slices", "2")
	p.bad(exitUsage, "--parallel is missing", "backfill", "resize", id)
	if r := p.run("backfill", "resize", id, "--parallel", "7"); !strings.Contains(r.err, "request "+id[:12]+" runs 7 slices at a time from now on") {
		t.Errorf("resize says %s%s", r.out, r.err)
	}
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04")
	p.rewrite("sum(cents)", "sum(cents + 1)")
	if r := p.run("backfill", "submit", "sales_hourly", "--stale"); r.code != exitDone || strings.Contains(r.err, "will end as failed") {
		t.Errorf("of a request that is done by the table it says\n%s", r.err)
	}
	p.good("worker", "--once")
	again := []string{"backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04", "--recompute"}
	p.good(again...)
	p.good("worker", "--once")
	if r := p.run(again...); !strings.Contains(r.err, " was done, and begins anew") {
		t.Errorf("submitted again it says\n%s", r.err)
	}
}
