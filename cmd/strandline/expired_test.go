package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outlivedProof is a lake whose partitions 2026-03-01 and 2026-03-02 are published
// and can't be computed again.
func outlivedProof(t *testing.T) proof {
	t.Helper()
	p := newProof(t)
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("run", "--once")
	p.rewrite("    columns:", "    retain: {bytes: 1KB}\n    columns:")
	p.good("sweep", "--grace", "0s")
	return p
}

// rewrite changes the configuration.
func (p proof) rewrite(old, new string) {
	p.t.Helper()
	text, err := os.ReadFile(p.path("strandline.yaml"))
	if err != nil {
		p.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		p.t.Fatalf("the configuration has no %q", old)
	}
	p.write("strandline.yaml", strings.Replace(string(text), old, new, 1))
}

func TestALostFileWhoseRawRowsExpiredIsNotToBeComputedAgain(t *testing.T) {
	p := outlivedProof(t)
	p.losesFile("2026-03-01")
	const restore = "restore the file from a copy of the lake, or strandline rollback sales_hourly --to V to a version whose file is still there"
	for _, command := range []string{"check-lake", "verify sales_hourly"} {
		r := p.bad(exitFailed, restore, strings.Fields(command)...)
		if strings.Contains(r.out+r.err, "--recompute") {
			t.Errorf("%s urges what can't be done:\n%s%s", command, r.out, r.err)
		}
	}
	if r := p.bad(exitFailed, "verify sales_hourly tells", "query", "SELECT * FROM sales_hourly"); strings.Contains(r.err, "--recompute") {
		t.Errorf("query urges what can't be done:\n%s", r.err)
	}
	p.bad(exitSomeFailed, "left out: raw rows have expired: all its 3 rows are gone\n",
		"backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02", "--recompute")

	p.losesFile("2026-03-03")
	for _, command := range []string{"check-lake", "verify sales_hourly"} {
		if r := p.bad(exitFailed, restore, strings.Fields(command)...); !strings.Contains(r.out+r.err, "--recompute") {
			t.Errorf("%s does not say what can be done about the other:\n%s%s", command, r.out, r.err)
		}
	}
}

// losesFile removes a partition's published file.
func (p proof) losesFile(partition string) {
	p.t.Helper()
	files, err := filepath.Glob(p.path("lake/tables/sales_hourly/data/" + partition + "/*"))
	if err != nil || len(files) != 1 {
		p.t.Fatalf("partition %s has the files %v, %v", partition, files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		p.t.Fatal(err)
	}
}

func TestANewJobPassesOverWhatCanNotBeComputedAnyMore(t *testing.T) {
	p := outlivedProof(t)
	_, job, _ := strings.Cut(proveYAML, "jobs:\n")
	p.rewrite("jobs:\n", "jobs:\n"+strings.Replace(job, "sales_hourly:", "sales_again:", 1))
	out := p.good("run", "--once")
	if !strings.Contains(out, "sales_again: 3 partitions, 1 fresh, 2 missing for good (raw rows have expired)\n") || strings.Contains(out, "left out") {
		t.Errorf("the stream says\n%s", out)
	}
	if out := p.good("plan", "sales_again"); !strings.Contains(out, "never published; raw expired: all its 3 rows are gone") {
		t.Errorf("the plan is\n%s", out)
	}
	if out := p.good("held"); out != "" {
		t.Errorf("held says\n%s", out)
	}
	p.bad(exitSomeFailed, "2 left out", "backfill", "sales_again", "--from", "2026-03-01", "--to", "2026-03-04")
}

func TestCodeAloneHoldsNoPartitionWhoseRowsExpired(t *testing.T) {
	p := outlivedProof(t)
	p.write("late.ndjson", `{"at":"2026-03-02T10:30:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("late.ndjson"))
	p.good("drop", "sales_hourly", "2026-03-02")
	p.rewrite("count(*) AS n", "count(*) + 0 AS n")
	const stands = "1 aside (set aside by a person), 2 of old code (strandline backfill sales_hourly --stale renews all but 1, whose raw rows have expired)\n"
	if out := p.good("run", "--once"); !strings.Contains(out, stands) {
		t.Errorf("the stream says\n%s", out)
	}
	if out := p.good("plan"); !strings.Contains(out, "2026-03-01     stale ") || !strings.Contains(out, "code changed; raw rows have expired, so it stays as it is (generation 1)\n") {
		t.Errorf("the plan is\n%s", out)
	}
	p.bad(exitSomeFailed, "1 published, 0 unchanged, 0 superseded, 0 failed, 2 left out", "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04")
	if out := p.good("run", "--once"); !strings.Contains(out, "1 of old code for good (raw rows have expired)\n") {
		t.Errorf("after a backfill the stream says\n%s", out)
	}
}

func TestARebuildIsNotUrgedThatWouldBeRefused(t *testing.T) {
	p := outlivedProof(t)
	p.rewrite("partition: day", "partition: month")
	const refused = "--rebuild), which would be refused: "
	p.bad(exitDone, refused, "plan")
	p.bad(exitRefused, refused, "run", "--once")
}
