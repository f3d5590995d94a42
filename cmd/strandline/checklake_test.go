package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/audit"
)

func TestCheckLakeTellsByItsExitCode(t *testing.T) {
	p := newProof(t)
	p.write("lake/readme.md", "mine")
	out := p.good("check-lake", "--deep")
	if !strings.Contains(out, "note   foreign  readme.md\n") || !strings.Contains(out, "checked 1 stream, 1 table, ") || !strings.Contains(out, ": 0 faults, 1 note\n") {
		t.Errorf("a whole lake: %s", out)
	}
	segments, err := filepath.Glob(p.path("lake/landing/sales/data/*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(segments[0]); err != nil {
		t.Fatal(err)
	}
	p.bad(exitFailed, "check lake "+p.path("lake")+": 1 fault\n", "check-lake")
	r := p.bad(exitFailed, "", "check-lake", "--json")
	var faults []audit.Fault
	for decoder := json.NewDecoder(strings.NewReader(r.out)); decoder.More(); {
		var f audit.Fault
		if err := decoder.Decode(&f); err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	if len(faults) != 3 || faults[1].Name != audit.MissingSegment || faults[1].In != "stream sales" || faults[1].Do == "" || faults[2].Name != "" {
		t.Errorf("got %+v", faults)
	}
}

// What looks at a table that nothing was published to leaves nothing that looks like a lost log.
func TestLookingAtAFreshProjectLeavesAWholeLake(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", proveYAML)
	p.write("a.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("a.ndjson"))
	p.good("reconcile", "sales_hourly")
	p.good("verify", "sales_hourly")
	if out := p.good("check-lake"); !strings.Contains(out, ": 0 faults, 0 notes\n") {
		t.Errorf("check-lake says\n%s", out)
	}
	if out := p.good("sweep", "--dry-run"); strings.Contains(out, "foreign") {
		t.Errorf("a sweep says\n%s", out)
	}
}

// Who asks whether all is well is not told so of a lake that is not there.
func TestALakeThatIsNotThereIsNoSoundLake(t *testing.T) {
	p := newProof(t)
	p.rewrite("lake: ./lake", "lake: ./lakee")
	for _, command := range []string{"check-lake", "verify sales_hourly", "reconcile sales_hourly"} {
		p.bad(exitFailed, "the lake holds nothing, so nothing was checked", strings.Fields(command)...)
	}
	for _, command := range []string{"status", "plan", "arrivals sales", "rejects sales", "held", "late", "lake", "history sales_hourly", "sweep --dry-run", "backfill list"} {
		r := p.bad(exitDone, "note: there is no lake at ", strings.Fields(command)...)
		if strings.Count(r.err, "no lake at") != 1 {
			t.Errorf("%s says\n%s", command, r.err)
		}
	}
	if r := p.run("land", "sales", p.path("a.ndjson")); strings.Contains(r.err, "no lake") {
		t.Errorf("who lands is told\n%s", r.err)
	}
}

// A job whose SQL can't be used does not keep the lake from being checked.
func TestCheckLakeOfABrokenJobHoldsPositions(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "SELECT window_start,", "SELECT no_such_column,", 1))
	r := p.run("check-lake")
	if r.code != exitDone || !strings.Contains(r.err, "receipts of sales_hourly are held against positions alone") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}

func TestLakeShowsWhatIsThereAndWhatUpkeepGains(t *testing.T) {
	p := newProof(t)
	out := p.good("lake")
	for _, want := range []string{"stream sales: ", "  data     5 rows in 2 segments, 2 of them small\n", "  log      2 entries, 0 checkpoints\n", "table sales_hourly: ", "  unnamed  0 files of 0 bytes for sweep to remove, ", " LIST\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	lines := strings.Split(strings.TrimSpace(p.good("lake", "--json")), "\n")
	var stream audit.Account
	if err := json.Unmarshal([]byte(lines[0]), &stream); err != nil || len(lines) != 3 || stream.In != "stream sales" || stream.Rows != 5 || stream.Calls.Put == 0 {
		t.Errorf("%v: %q", err, lines)
	}
}
