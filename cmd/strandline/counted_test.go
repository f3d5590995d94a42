package main

import (
	"os"
	"strings"
	"testing"
)

// What is held is not counted as failed, wherever it is counted, nor is what was left out.
func TestHeldAndFailedAreCountedApart(t *testing.T) {
	p := newProof(t)
	p.rewrite("GROUP BY ALL\n", "GROUP BY ALL\n    checks: [{range: {column: cents, max: 16}}]\n")
	p.rewrite("sum(cents)::BIGINT", "(2 * sum(cents))::BIGINT")
	args := []string{"backfill", "sales_hourly", "--from", "2026-03-01", "--recompute"}
	r := p.bad(exitSomeFailed, "some partitions are not published: of 2 partitions 1 held (see strandline held), the first is 2026-03-02: ", args...)
	if !strings.Contains(r.err, "partitions: 2 of 2, 1 failed or held, ") || !strings.Contains(r.out, "0 failed, 1 held") || strings.Count(r.err, "see strandline held") != 1 {
		t.Errorf("it says\n%s%s", r.out, r.err)
	}
	p.rewrite("(2 * sum(cents))::BIGINT", "sum((CASE WHEN cents > 6 THEN 'x' ELSE '9' END)::BIGINT)::BIGINT")
	r = p.bad(exitSomeFailed, "", args...)
	if !strings.Contains(r.err, "some partitions are not published: of 2 partitions 2 failed, the first is 2026-03-01: ") {
		t.Errorf("it says\n%s%s", r.out, r.err)
	}
}

// What stops a run, and what keeps from telling how the tables stand, is told once where it is the same.
func TestRunOnceTellsAnErrorOnce(t *testing.T) {
	p := newProof(t)
	if err := os.RemoveAll(p.path("lake/landing")); err != nil {
		t.Fatal(err)
	}
	r := p.bad(exitRefused, "", "run", "--once")
	if lines := strings.Split(strings.TrimSpace(r.err), "\n"); len(lines) != 1 || !strings.HasPrefix(lines[0], "strandline: ") {
		t.Errorf("it says\n%s", r.err)
	}
}
