package main

import (
	"strings"
	"testing"
)

// Nothing advises what would be refused: before a rebuild every command says that it
// takes one, once, and how many partitions that makes.
func TestBeforeARebuildNothingElseIsAdvised(t *testing.T) {
	p := newProof(t)
	p.rewrite("partition: day", "partition: month")
	const urged = "needs a rebuild, of 1 partition (strandline backfill sales_hourly --rebuild)\n"
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"plan", exitDone, urged},
		{"plan --json", exitDone, `"needs_rebuild":true`},
		{"status", exitDone, urged},
		{"status --json", exitDone, `"needs_rebuild":true`},
		{"run --once", exitRefused, urged},
		{"backfill sales_hourly --stale", exitRefused, ""},
		{"backfill sales_hourly --stale --dry-run", exitRefused, ""},
		{"replay sales_hourly --from-position 0 --dry-run", exitRefused, ""},
	} {
		r := p.bad(c.code, c.says, strings.Fields(c.args)...)
		if reason := "its partitions are by day, the job now says month"; strings.Count(r.err, reason) != 1 || strings.Contains(r.out, "--stale") || r.code == exitDone && !strings.Contains(c.args, "--json") && strings.Contains(r.err, "rebuild") {
			t.Errorf("%s says\n%s%s", c.args, r.out, r.err)
		}
	}
	if out := p.good("backfill", "sales_hourly", "--rebuild", "--dry-run"); !strings.Contains(out, "would recompute 1 partition ") {
		t.Errorf("the dry run of a rebuild says\n%s", out)
	}
	p.good("backfill", "sales_hourly", "--rebuild")
	if out := p.good("plan"); !strings.Contains(out, ": 1 partition, 1 fresh\n") {
		t.Errorf("after the rebuild the plan is\n%s", out)
	}
}

// A rebuild publishes nothing once one partition has failed, and tells of as many as it is told to find.
func TestARebuildGoesOnUntilSoManyHaveFailed(t *testing.T) {
	p := newProof(t)
	p.rewrite("sum(cents)::BIGINT", "sum((shop || 'x')::BIGINT)::BIGINT")
	for most, failed := range map[string]string{"0": "1 failed, 1 withheld", "2": "2 failed", "3": "2 failed"} {
		if out := p.bad(exitSomeFailed, "0 published", "backfill", "sales_hourly", "--rebuild", "--parallel", "1", "--max-failures", most).out; !strings.Contains(out, failed) {
			t.Errorf("--max-failures %s says\n%s, want %s", most, out, failed)
		}
	}
}
