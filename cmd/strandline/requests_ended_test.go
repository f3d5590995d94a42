package main

import (
	"encoding/json"
	"strings"
	"testing"

	"strandline/requests"
)

// shows is what show says of a request, as JSON and for a person.
func (p proof) shows(id string) (f shownFact, text string) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.good("backfill", "show", id, "--json")), &f); err != nil {
		p.t.Fatal(err)
	}
	return f, p.good("backfill", "show", id)
}

// What came after a request had ended is told as that.
func TestAnEndedRequestIsShownAsItWas(t *testing.T) {
	p := newSales(t)
	p.write("checked.yaml", strings.Replace(proveYAML, "GROUP BY ALL\n", "GROUP BY ALL\n    checks: [{range: {column: cents, max: 100}}]\n", 1))
	done := p.asked()
	p.good("worker", "--once")
	broken := strings.TrimSpace(p.good("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute", "--slices", "2"))
	p.good("backfill", "cancel", broken)
	p.write("late.ndjson", `{"at":"2026-03-02T11:00:00Z","shop":"x","cents":900}`+"\n")
	p.good("land", "sales", p.path("late.ndjson"))
	strandline(t, "-c", p.path("checked.yaml"), "backfill", "sales_hourly", "--from", "2026-03-02", "--to", "2026-03-03")

	f, text := p.shows(done)
	if *f.Progress != (progressFact{Done: 2}) || len(f.Failures) != 0 || len(f.Later) != 1 || f.Later[0].Partition != "2026-03-02" {
		t.Errorf("of what was done it says %+v, %v, and since then %v", f.Progress, f.Failures, f.Later)
	}
	if !strings.Contains(text, "done, 2 of 2 partitions done") || !strings.Contains(text, "\nsince then 2026-03-02: held") {
		t.Errorf("of what was done it says\n%s", text)
	}
	f, text = p.shows(broken)
	if f.Replaced || len(f.Failures) != 1 || !strings.Contains(text, "cancelled, 0 of 2 slices run, 1 held") || !strings.Contains(text, "\n2026-03-02: held") {
		t.Errorf("of what was cancelled it says %+v\n%s", f, text)
	}
}

// Once the table has other code, an ended request of older code is told as it was when it ended.
func TestAnEndedRequestOfOlderCodeKeepsItsCounts(t *testing.T) {
	p := newSales(t)
	p.rewrite("sum(cents)", "sum(cents * 1100000000000000000)") // which 9 is too many for
	id := p.asked("--slices", "2")
	p.run("worker", "--once")
	before, text := p.shows(id)
	if before.State != requests.InPart || before.Replaced || *before.Progress != (progressFact{Done: 2, Failed: 1}) || !strings.Contains(text, "failed in part, now 2 of 3 partitions done, 1 failed") {
		t.Errorf("when it ended it says %+v\n%s", before, text)
	}
	p.rewrite("* 1100000000000000000", "+ 1")
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03")
	after, text := p.shows(id)
	if !after.Replaced || after.Progress == nil || *after.Progress != *before.Progress || len(after.Failures) != 1 || !strings.Contains(text, "failed in part, 2 of 3 partitions done, 1 failed (the table has other code since)") {
		t.Errorf("after that it says %+v\n%s", after, text)
	}
}

// A cancelled one does so too, of what was left then.
func TestACancelledRequestOfOlderCodeKeepsItsCounts(t *testing.T) {
	p := newSales(t)
	p.rewrite("sum(cents)", "sum(cents * 1100000000000000000)")
	id := p.asked()
	p.good("backfill", "cancel", id)
	before, _ := p.shows(id)
	p.rewrite("* 1100000000000000000", "+ 1")
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03")
	after, text := p.shows(id)
	if *before.Progress != (progressFact{Left: 3}) || after.Progress == nil || *after.Progress != *before.Progress || !strings.Contains(text, "cancelled, 0 of 3 partitions done, 3 left (the table has other code since)") {
		t.Errorf("it says %+v, and before %+v\n%s", after.Progress, before.Progress, text)
	}
}
