package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// sale is a line of a sale at a time.
func saleAt(at time.Time) string {
	return `{"at":"` + at.UTC().Format(time.RFC3339) + `","shop":"x","cents":1}` + "\n"
}

// watermarkProof is a lake of a job that publishes on close and holds what is late. Sales
// of the day before yesterday have landed, and of now.
func watermarkProof(t *testing.T) (p proof, old time.Time) {
	p = newProof(t)
	p.rewrite("    columns:", "    watermark: {delay: 1h, idle: 1d}\n    columns:")
	p.rewrite("    window: ", "    emit: on_close\n    late: hold\n    window: ")
	old = time.Now().UTC().Add(-48 * time.Hour).Truncate(24 * time.Hour)
	p.write("c.ndjson", saleAt(old)+saleAt(time.Now()))
	p.good("land", "sales", p.path("c.ndjson"))
	return p, old
}

func TestStatusTellsTheWatermarkAndWhatHoldsIt(t *testing.T) {
	p, _ := watermarkProof(t)
	out := p.good("status")
	if !strings.Contains(out, "\n  watermark 2") || !strings.Contains(out, ": it follows land, which is at 2") {
		t.Errorf("status says\n%s", out)
	}
	if out := p.good("status", "--json"); !strings.Contains(out, `"watermark_held_by":"land"`) || !strings.Contains(out, `"ways_in":[{"name":"land","latest":"2`) {
		t.Errorf("status --json says\n%s", out)
	}
}

// A way in that comes behind the watermark does not hold it where it is, and is not said to.
func TestAWatermarkThatNeverGoesBackIsHeldByNobody(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", "    watermark: {delay: 1h, idle: 1d}\n    columns:", 1))
	p.write("a.ndjson", saleAt(time.Now()))
	p.good("land", "sales", p.path("a.ndjson"))
	watermark := func() string {
		_, rest, _ := strings.Cut(p.good("status"), "watermark ")
		at, _, _ := strings.Cut(rest, ": ")
		return at
	}
	before := watermark()
	p.rewrite("    columns:", "    dir: {path: ./in, settle: 10ms}\n    columns:")
	if err := os.Mkdir(p.path("in"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("in/b.ndjson", saleAt(time.Now().Add(-48*time.Hour)))
	p.good("land", "sales")
	out := p.good("status")
	if !strings.Contains(out, "watermark "+before+": it stays where it was, since it never goes back; behind it is dir, which is at 2") {
		t.Errorf("status says\n%s\nthe watermark was %s", out, before)
	}
	if out := p.good("status", "--json"); strings.Contains(out, "watermark_held_by") || !strings.Contains(out, `"watermark_waits_for":"dir"`) || !strings.Contains(out, `"watermark_stays":true`) {
		t.Errorf("status --json says\n%s", out)
	}
}

func TestWhatIsOpenIsLeftAndCountedAndNoFailure(t *testing.T) {
	p, _ := watermarkProof(t)
	if out := p.good("run", "--once"); !strings.Contains(out, ", 1 open (published once closed)") {
		t.Errorf("run --once says\n%s", out)
	}
}

func TestWhatComesLateIsListedAndReleasedByAPerson(t *testing.T) {
	p, old := watermarkProof(t)
	p.good("run", "--once")
	partition := old.Format("2006-01-02")
	p.write("late.ndjson", saleAt(old.Add(time.Hour)))
	p.good("land", "sales", p.path("late.ndjson"))
	p.bad(exitSomeFailed, "strandline held lists the 1", "run", "--once")
	for _, command := range []string{"held", "late"} {
		if out := p.good(command); !strings.Contains(out, partition) || !strings.Contains(out, "late: 1 row, up to ") {
			t.Errorf("%s says\n%s", command, out)
		}
	}
	if out := p.good("release", "sales_hourly", partition); !strings.Contains(out, "person    sales_hourly  "+partition+"     published") {
		t.Errorf("release says\n%s", out)
	}
	p.good("run", "--once")
	if out := p.good("held"); out != "" {
		t.Errorf("held says\n%s", out)
	}
	if out := p.good("late"); !strings.Contains(out, partition+"     fresh    late: 1 row, up to ") {
		t.Errorf("late says\n%s", out)
	}
	p.bad(exitUsage, "no candidate is held", "release", "sales_hourly", partition)

	p.write("more.ndjson", saleAt(old.Add(2*time.Hour)))
	p.good("land", "sales", p.path("more.ndjson"))
	p.good("drop", "sales_hourly", partition)
	history := p.good("history", "sales_hourly")
	for _, told := range []string{"  late rows dropped, 1 partition stays as published: " + partition + "  by ", "1 partition: " + partition + " (2 rows); released by a person"} {
		if !strings.Contains(history, told) {
			t.Errorf("history does not say %q:\n%s", told, history)
		}
	}
	if strings.Count(history, "by a person") != 1 {
		t.Errorf("history says\n%s", history)
	}
	if out := p.good("run", "--once"); !strings.Contains(out, "1 aside (set aside by a person)") {
		t.Errorf("run --once says\n%s", out)
	}
}

// A person may publish what is not closed, and is told so before and after.
func TestABackfillSaysWhatIsNotClosed(t *testing.T) {
	p, old := watermarkProof(t)
	const told = ", 1 not closed yet, of which rows are still expected (emit: on_close)"
	backfill := []string{"backfill", "sales_hourly", "--from", old.Format("2006-01-02"), "--to", old.AddDate(0, 0, 10).Format("2006-01-02")}
	if out := p.good(append(backfill, "--dry-run")...); !strings.Contains(out, told) {
		t.Errorf("the dry run says\n%s", out)
	}
	if out := p.good(append(backfill, "--dry-run", "--json")...); strings.Count(out, `"not_closed":true`) != 1 {
		t.Errorf("the dry run says\n%s", out)
	}
	out := p.good(backfill...)
	if !strings.Contains(out, told) || strings.Count(out, ", before it was closed\n") != 1 {
		t.Errorf("the backfill says\n%s", out)
	}
	if out := p.good("plan", "sales_hourly", "--all"); strings.Count(out, "  not closed\n") != 1 {
		t.Errorf("the plan says\n%s", out)
	}
	if out := p.good(append(backfill, "--recompute", "--json")...); strings.Count(out, `"not_closed":true`) != 1 {
		t.Errorf("computed again, it says\n%s", out)
	}
}

// What came late and what a check holds are released by one command, or nothing is.
func TestLateAndHeldPartitionsAreReleasedTogetherOrNotAtAll(t *testing.T) {
	p, old := watermarkProof(t)
	late, held := old.Format("2006-01-02"), old.Add(-24*time.Hour).Format("2006-01-02")
	p.good("run", "--once")
	p.rewrite("    emit: on_close\n", "    checks: [{range: {column: cents, max: 5}}]\n")
	p.write("more.ndjson", saleAt(old.Add(time.Hour))+strings.Replace(saleAt(old.Add(-20*time.Hour)), `:1}`, `:9}`, 1))
	p.good("land", "sales", p.path("more.ndjson"))
	p.bad(exitSomeFailed, "held", "run", "--once")
	version := p.good("status")
	p.bad(exitUsage, "2001-01-01", "release", "sales_hourly", late, held, "2001-01-01")
	if now := p.good("status"); now != version {
		t.Errorf("a release that was refused changed\n%s\nto\n%s", version, now)
	}
	out := p.good("release", "sales_hourly", held, late, late)
	if !strings.Contains(out, "person    sales_hourly  "+late) {
		t.Errorf("release says\n%s", out)
	}
	if out := p.good("held"); out != "" {
		t.Errorf("then these are held still:\n%s", out)
	}
}

func TestAPartitionThatIsNotThereIsNotBackfilled(t *testing.T) {
	p, old := watermarkProof(t)
	there := old.Format("2006-01-02")
	p.bad(exitUsage, "no such partition: 2001-01-01, 2001-01-02: ", "backfill", "sales_hourly", "--partition", "2001-01-01", "--partition", there, "--partition", "2001-01-02")
	p.bad(exitUsage, "no such partition: 2001-01-01: ", "backfill", "sales_hourly", "--partition", "2001-01-01", "--dry-run")
	for range 2 { // also when it is fresh
		p.good("backfill", "sales_hourly", "--partition", there)
	}
}
