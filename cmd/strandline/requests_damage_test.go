package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/internal/log"
	"strandline/plans"
	"strandline/requests"
)

// two has two requests of new sales, of one of which the plan is changed by damage.
func (p proof) two(damage func(path string)) (good, bad string) {
	p.t.Helper()
	good = p.asked("--slices", "2")
	out := p.good("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02", "--recompute")
	bad, _, _ = strings.Cut(out, "\n")
	damage(p.path("lake/plans/" + bad))
	return good, bad
}

func (p proof) cutOff(path string) {
	p.t.Helper()
	p.cutTo(path, 100)
}

func (p proof) cutTo(path string, size int64) {
	p.t.Helper()
	if err := os.Truncate(path, size); err != nil {
		p.t.Fatal(err)
	}
}

func (p proof) remove(path string) {
	p.t.Helper()
	if err := os.Remove(path); err != nil {
		p.t.Fatal(err)
	}
}

// What can't be told of one request is told by its name, and hides no other.
func TestARequestWhosePlanIsDamagedIsListedBesideTheOthers(t *testing.T) {
	for name, damage := range map[string]func(proof, string){"cut off": proof.cutOff, "no such plan": proof.remove} {
		p := newSales(t)
		good, bad := p.two(func(path string) { damage(p, path) })
		r := p.run("backfill", "list")
		if r.code == exitDone || !strings.Contains(r.out, good[:8]+"  ") || !strings.Contains(r.out, bad[:8]+"  ") || !strings.Contains(r.err, "request "+bad[:8]) || !strings.Contains(r.err, name) || strings.Contains(r.err, good[:8]) {
			t.Errorf("%s: list ends with %d and says\n%s%s", name, r.code, r.out, r.err)
		}
		r = p.run("backfill", "list", "--json")
		told := map[string]requestFact{}
		for line := range strings.Lines(r.out) {
			var f requestFact
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatal(err)
			}
			told[f.Request] = f
		}
		if f := told[bad]; r.code == exitDone || len(told) != 2 || f.Progress != nil || f.State != requests.Waiting || !strings.Contains(f.Error, name) || told[good].Progress == nil || told[good].Error != "" {
			t.Errorf("%s: list --json ends with %d and says\n%s", name, r.code, r.out)
		}
		if r = p.run("backfill", "show", bad); r.code == exitDone || !strings.Contains(r.out, "request "+bad) || !strings.Contains(r.err, name) {
			t.Errorf("%s: show ends with %d and says\n%s%s", name, r.code, r.out, r.err)
		}
		if r = p.run("backfill", "cancel", bad); r.code != exitDone || !strings.Contains(r.out, "cancelled") {
			t.Errorf("%s: cancel ends with %d and says\n%s%s", name, r.code, r.out, r.err)
		}
	}
}

// A request that can't be run has failed, and so has who was to run it.
func TestAWorkerWhoseRequestCantBeRunSaysSoByItsCode(t *testing.T) {
	for name, damage := range map[string]func(proof, string){"cut off": proof.cutOff, "no such plan": proof.remove} {
		p := newSales(t)
		good, bad := p.two(func(path string) { damage(p, path) })
		r := p.bad(exitSomeFailed, "strandline backfill show "+bad[:8], "worker", "--once")
		if !strings.Contains(r.err, "request "+bad[:12]+" has ended as failed: ") || !strings.Contains(r.err, name) || strings.Count(r.out, " published ") != 2 {
			t.Errorf("%s: the worker says\n%s%s", name, r.out, r.err)
		}
		if f := p.stands(good); f.State != requests.Done {
			t.Errorf("%s: the other is %+v", name, f)
		}
	}
}

// A table whose log is damaged stops its own job, and no other.
func TestAJobWhoseTableIsDamagedStopsNoOther(t *testing.T) {
	const broken = "log/00000000000000000001.json"
	for _, command := range [][]string{{"worker", "--once"}, {"run", "--once"}} {
		p := newSales(t)
		_, job, _ := strings.Cut(proveYAML, "jobs:\n")
		p.write("strandline.yaml", proveYAML+strings.ReplaceAll(job, "sales_hourly", "other"))
		hurt := p.asked()
		p.asked("--recompute") // of the same table
		fine, _, _ := strings.Cut(p.good("backfill", "submit", "other", "--from", "2026-03-01", "--to", "2026-03-04"), "\n")
		p.cutTo(p.path("lake/tables/sales_hourly/"+broken), 20)
		r := p.bad(exitFailed, "corrupt", command...)
		if strings.Count(r.out, "other  2026-03") != 3 || strings.Contains(r.out, "sales_hourly  2026-03") || !strings.Contains(r.err, "tables/sales_hourly/log") {
			t.Errorf("%v says\n%s%s", command, r.out, r.err)
		}
		if named := strings.Count(r.err, broken); named != 1 {
			t.Errorf("%v names the damage %d times\n%s", command, named, r.err)
		}
		if command[0] == "run" {
			continue
		}
		if f := p.stands(fine); f.State != requests.Done {
			t.Errorf("the other is %+v", f)
		}
		if f := p.stands(hurt); f.State != requests.Waiting || f.Error == "" {
			t.Errorf("that of the damaged table is %+v", f)
		}
	}
}

// A stream whose log is damaged stops those that read it, also by way of a table, and no other.
func TestAStreamThatIsDamagedStopsNoJobOfAnother(t *testing.T) {
	const broken = "log/00000000000000000001.json"
	p := newSales(t)
	streams, job, _ := strings.Cut(proveYAML, "jobs:\n")
	_, stream, _ := strings.Cut(streams, "streams:\n")
	p.write("strandline.yaml", strings.Replace(proveYAML, "streams:\n", "streams:\n"+strings.ReplaceAll(stream, "sales:", "other:"), 1)+
		strings.ReplaceAll(job, "sales_hourly", "also")+
		strings.NewReplacer("sales_hourly", "other_hourly", "sales", "other").Replace(job))
	p.write("other.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "other", p.path("other.ndjson"))
	p.cutTo(p.path("lake/landing/sales/"+broken), 20)
	for _, command := range [][]string{{"run", "--once"}, {"plan"}, {"status"}} {
		r := p.bad(exitFailed, "corrupt", command...)
		if !strings.Contains(r.out, "other_hourly") || strings.Contains(r.out, "sales_hourly") || strings.Contains(r.out, "also") || strings.Count(r.err, broken) != 1 {
			t.Errorf("%v says\n%s%s", command, r.out, r.err)
		}
	}
	if r := p.run("status", "--json", "other_hourly"); r.code != exitDone || !strings.Contains(r.out, `"fresh":1`) {
		t.Errorf("the other job's table: %s%s", r.out, r.err)
	}
}

func TestARequestIsListedInOneLineWhateverItEndedFor(t *testing.T) {
	f := requestFact{Request: strings.Repeat("0", 64), Reason: "job j: no such column\nLINE 1: SELECT x\n        ^\x1b[2K"}
	if line := f.line(); strings.ContainsAny(line, "\n\x1b") || !strings.Contains(line, ": job j: no such column LINE 1: SELECT x ^") {
		t.Errorf("it is listed as\n%s", line)
	}
}

// Submitting again what has a damaged plan mends it.
func TestADamagedPlanIsMendedBySubmittingItAgain(t *testing.T) {
	p := newSales(t)
	id := p.asked()
	p.cutOff(p.path("lake/plans/" + id))
	p.run("worker", "--once")
	if f := p.stands(id); f.State != requests.Broken {
		t.Fatalf("list says %+v", f)
	}
	if again := p.asked(); again != id {
		t.Fatalf("submitted again it is %s, was %s", again, id)
	}
	p.good("worker", "--once")
	if f := p.stands(id); f.State != requests.Done || f.Error != "" {
		t.Errorf("list says %+v", f)
	}
}

// Where the log of requests is lost it is said what else helps, and that does: however long the log is, and
// whatever of it is gone.
func TestALostLogOfRequestsIsToldWithWhatHelps(t *testing.T) {
	const entry = "lake/requests/log/00000000000000000002.json"
	for _, c := range []struct {
		name  string
		grows func(p proof, id string)
		lost  []string
	}{
		{"an entry", func(proof, string) {}, []string{entry}},
		{"an entry above a checkpoint", proof.manyTurns, []string{"lake/requests/log/*22.json"}},
		{"all entries but a checkpoint", proof.manyTurns, []string{"lake/requests/log/*"}},
		{"all entries of a log that was trimmed", proof.trimmedTurns, []string{"lake/requests/log/*"}},
		{"all of a log but that it was trimmed", proof.trimmedTurns, []string{"lake/requests/log/*", "lake/requests/checkpoints/*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSales(t)
			id := p.asked("--slices", "2")
			p.good("worker", "--once")
			p.good("rollback", "sales_hourly", "--to", "2")
			c.grows(p, id)
			for _, pattern := range c.lost {
				p.removeAll(pattern)
			}
			p.helpsToForgetRequests(id)
		})
	}
}

// What lies there and is none of the log is to be moved away, and nothing is to be forgotten for it.
func TestAStrayObjectInALogIsToldAsThat(t *testing.T) {
	p := newSales(t)
	p.asked()
	for log, args := range map[string][]string{
		"requests":            {"backfill", "list"},
		"landing/sales":       {"plan", "sales_hourly"},
		"tables/sales_hourly": {"plan", "sales_hourly"},
	} {
		path := "lake/" + log + "/log/foo.json"
		p.write(path, "x")
		const helps = "move it out of the lake: "
		if r := p.bad(exitFailed, helps+log+"/log/foo.json", args...); strings.Contains(r.err, "restore") || strings.Contains(r.err, "remove all") {
			t.Errorf("it says\n%s", r.err)
		}
		if r := p.run("check-lake"); r.code == exitDone || !strings.Contains(r.out, "move the object out of the lake") || strings.Contains(r.out, "remove all") {
			t.Errorf("check-lake says\n%s", r.out)
		}
		p.remove(p.path(path))
	}
}

func TestAWorkerTellsOnceOfADamagedLogAndOfADamagedPlan(t *testing.T) {
	p := newSales(t)
	id := p.asked("--slices", "2")
	p.cutOff(p.path("lake/plans/" + id))
	r := p.run("worker", "--once", "--parallel", "2")
	if r.code != exitSomeFailed || strings.Count(r.err, "has ended as failed") != 1 || !strings.Contains(r.err, ": 1 request ended as failed; to learn why: strandline backfill show "+id[:8]) || strings.Contains(r.err, "could not be run") {
		t.Errorf("with a damaged plan: exit %d\n%s", r.code, r.err)
	}
	p.cutOff(p.path("lake/requests/log/00000000000000000001.json"))
	if r := p.run("worker", "--once"); r.code != exitFailed || strings.Count(r.err, "remove all objects of requests/") != 1 {
		t.Errorf("with a damaged log: exit %d\n%s", r.code, r.err)
	}
}

// manyTurns has a request paused and resumed so often that its log has checkpoints.
func (p proof) manyTurns(id string) {
	p.t.Helper()
	queue, plan := p.queueOf(id)
	for range 10 {
		if err := errors.Join(queue.Resume(p.t.Context(), plan, []int{0}, nil, "a test"), queue.Cancel(p.t.Context(), plan, "a test", requests.Outcome{})); err != nil {
			p.t.Fatal(err)
		}
	}
}

// trimmedTurns does so, and trims the log.
func (p proof) trimmedTurns(id string) {
	p.t.Helper()
	p.manyTurns(id)
	queue, _ := p.queueOf(id)
	if trim, err := queue.Trim(p.t.Context(), 0); err != nil || trim.Empty() {
		p.t.Fatalf("trimmed were %+v, %v", trim, err)
	}
}

func (p proof) queueOf(id string) (*requests.Queue, plans.ID) {
	p.t.Helper()
	plan, err := plans.ParseID(id)
	if err != nil {
		p.t.Fatal(err)
	}
	return requests.Open(p.store(), log.Options{CheckpointEvery: 5}), plan
}

func (p proof) removeAll(pattern string) {
	p.t.Helper()
	paths, err := filepath.Glob(p.path(pattern))
	if err != nil || len(paths) == 0 {
		p.t.Fatalf("nothing is %s: %v", pattern, err)
	}
	for _, path := range paths {
		p.remove(path)
	}
}

// helpsToForgetRequests looks that everything says what helps, and does it.
func (p proof) helpsToForgetRequests(id string) {
	p.t.Helper()
	const helps = "remove all objects of requests/ ("
	p.bad(exitFailed, helps, "backfill", "list")
	p.bad(exitFailed, helps, "backfill", "submit", "sales_hourly", "--from", "2026")
	p.bad(exitFailed, helps, "worker", "--once")
	p.bad(exitFailed, helps, "check-lake")
	if err := os.RemoveAll(p.path("lake/requests")); err != nil {
		p.t.Fatal(err)
	}
	if again := p.asked("--slices", "2"); again != id {
		p.t.Errorf("submitted again it is %s, was %s", again, id)
	}
	if out := p.good("worker", "--once"); strings.Count(out, " published ") != 2 {
		p.t.Errorf("the worker says\n%s", out)
	}
	p.good("check-lake")
}
