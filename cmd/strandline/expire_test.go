package main

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestRawRowsExpireBySweepAndNoPartitionShrinks(t *testing.T) {
	p := newProof(t)
	for _, day := range []string{"3", "4"} {
		p.write(day+".ndjson", `{"at":"2026-03-0`+day+`T10:00:00Z","shop":"x","cents":1}`+"\nnonsense\n")
		p.good("land", "sales", p.path(day+".ndjson"))
	}
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", "    retain: {bytes: 1KB}\n    columns:", 1))

	// What is not published yet is kept, and sweep says for what.
	if out := p.good("sweep", "--grace", "0s"); !strings.Contains(out, "raw rows [0, 5) of 2 segments expired; those from 5 on are kept for partition 2026-03-03 of table sales_hourly, which is missing\n") {
		t.Errorf("while rows are needed, a sweep says\n%s", out)
	}
	p.good("run", "--once")
	published := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL")
	if out := p.good("sweep", "--grace", "0s", "--dry-run"); !strings.Contains(out, "raw rows [5, 6) of 1 segment would expire, and with them 1 reject that did not land again (strandline rejects sales)\n") || !strings.Contains(out, "stream sales: 2 files of ") {
		t.Errorf("a dry run says\n%s", out)
	}
	if out := p.good("sweep", "--grace", "0s"); !strings.Contains(out, "raw rows [5, 6) of 1 segment expired, and with them 1 reject that did not land again") {
		t.Errorf("a sweep says\n%s", out)
	}
	if out := p.good("sweep", "--grace", "0s"); strings.Contains(out, "expire") {
		t.Errorf("a second sweep says\n%s", out)
	}
	if n := len(p.files()); n != 1+4 {
		t.Errorf("%d files are left, want the newest segment and four partitions", n)
	}
	if r := p.bad(exitDone, "besides, 1 reject of stream sales expired with", "rejects", "sales"); strings.Contains(r.out, "3.ndjson") || !strings.Contains(r.out, "4.ndjson") {
		t.Errorf("the rejects that are left are\n%s", r.out)
	}
	if left, err := filepath.Glob(p.path("lake/landing/sales/rejects/*")); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v; want one file of rejects", left, err)
	}
	if out := p.good("plan"); !strings.Contains(out, "4 partitions, 4 fresh") {
		t.Errorf("the plan is\n%s", out)
	}
	p.good("run", "--once")

	// Late rows wait, and everybody says so.
	p.write("late.ndjson", `{"at":"2026-03-01T10:30:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("late.ndjson"))
	reason := "1 row arrived since, 3 of its 4 rows are gone"
	p.bad(exitSomeFailed, "left out: raw rows have expired: "+reason, "run", "--once")
	p.bad(exitSomeFailed, "left out: raw rows have expired: "+reason, "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02")
	p.bad(exitSomeFailed, "partitions: 1 of 1", "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02")
	p.bad(exitSomeFailed, "some partitions are not published: of 1 partition 1 left out, whose raw rows have expired", "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02")
	p.bad(exitRefused, "would lose what can't be computed again", "backfill", "sales_hourly", "--rebuild")
	for _, command := range []string{"plan", "status sales_hourly", "held", "held sales_hourly", "backfill sales_hourly --dry-run --from 2026-03-01 --to 2026-03-02"} {
		if out := p.good(strings.Fields(command)...); !strings.Contains(out, "raw expired: "+reason) {
			t.Errorf("%s says\n%s", command, out)
		}
	}
	if out := p.good("status"); !strings.Contains(out, "have expired, and 1 reject with them") || !strings.Contains(out, "1 held") {
		t.Errorf("status says\n%s", out)
	}
	if out := p.good("held", "--json"); !strings.Contains(out, `"state":"held"`) || !strings.Contains(out, `"expired_rows":`) {
		t.Errorf("held --json says\n%s", out)
	}
	p.standsAs("2026-03-01", "held")
	if out := p.good("verify", "sales_hourly"); !strings.Contains(out, "0 differ, 0 not recomputable, 3 not recomputable (raw expired)\n") {
		t.Errorf("verify says\n%s", out)
	}
	if out := p.good("reconcile", "sales_hourly"); !strings.Contains(out, "left out, whose raw rows have expired") {
		t.Errorf("reconcile says\n%s", out)
	}
	if out := p.good("receipt", "sales_hourly", "2026-03-01", "--sql"); !strings.Contains(out, "can't be derived any more: raw rows have expired") {
		t.Errorf("receipt --sql says\n%s", out)
	}
	p.good("check-lake", "--deep")
	if now := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL"); now != published {
		t.Errorf("the table holds\n%s\nwant\n%s", now, published)
	}

	left := p.bad(exitSomeFailed, `"state":"left out"`, "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02", "--json")
	if !strings.Contains(left.out, `"input_rows":4,"input_digest":"`) || strings.Contains(left.out, `"input_digest":""`) || !strings.Contains(left.out, `"expired_rows":3`) {
		t.Errorf("what is left out is\n%s", left.out)
	}

	// A person lets it be, until more rows come.
	p.bad(exitUsage, "there is no result to release: strandline drop sales_hourly 2026-03-01 leaves it", "release", "sales_hourly", "2026-03-01")
	p.bad(exitUsage, "partition 2026-03-02: no candidate is held", "drop", "sales_hourly", "2026-03-01", "2026-03-02")
	if out := p.good("held"); !strings.Contains(out, reason) {
		t.Errorf("after a drop that was refused, held says\n%s", out)
	}
	p.good("drop", "sales_hourly", "2026-03-01", "2026-03-01")
	p.bad(exitUsage, "no candidate is held", "drop", "sales_hourly", "2026-03-02")
	p.good("run", "--once")
	if out := p.good("held"); out != "" {
		t.Errorf("held says\n%s", out)
	}
	if out := p.good("plan"); !strings.Contains(out, "left as it is in version") {
		t.Errorf("the plan is\n%s", out)
	}
	p.standsAs("2026-03-01", "aside")
	p.good("check-lake", "--deep")
	p.write("later.ndjson", `{"at":"2026-03-01T10:45:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("later.ndjson"))
	p.bad(exitSomeFailed, "raw rows have expired: 2 rows arrived since, ", "run", "--once")
}

// standsAs checks that a partition has the same state, for the same reason, wherever it is told.
func (p proof) standsAs(partition, state string) {
	p.t.Helper()
	reason := ""
	for _, command := range []string{"plan sales_hourly --all", "status sales_hourly", "verify sales_hourly", "receipt sales_hourly " + partition} {
		told := 0
		facts := json.NewDecoder(strings.NewReader(p.good(append(strings.Fields(command), "--json")...)))
		for {
			var fact struct{ Partition, State, Reason string }
			err := facts.Decode(&fact)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				p.t.Fatal(command, err)
			}
			if fact.Partition != partition {
				continue
			}
			if reason == "" {
				reason = fact.Reason
			}
			if told++; fact.State != state || fact.Reason != reason {
				p.t.Errorf("%s tells of %s as %s: %s; want %s: %s", command, partition, fact.State, fact.Reason, state, reason)
			}
		}
		if told == 0 {
			p.t.Errorf("%s tells nothing of %s", command, partition)
		}
	}
}
