package main

import (
	"strings"
	"testing"
)

func TestADryRunOfASubmissionSubmitsNothing(t *testing.T) {
	p := newSales(t)
	for _, args := range [][]string{
		{"backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04"},
		{"replay", "submit", "sales_hourly", "--from-position", "0"},
	} {
		out := p.good(append(args, "--dry-run")...)
		if !strings.Contains(out, args[0]+" of sales_hourly would recompute ") || !strings.Contains(out, "  2026-03-02 ") {
			t.Errorf("%v says\n%s", args, out)
		}
	}
	if out := p.good("backfill", "list"); out != "" {
		t.Errorf("list says\n%s", out)
	}
}

// The first thing that is wrong with a command of no job is the job.
func TestAJobThatIsNoneIsToldBeforeItsRange(t *testing.T) {
	p := newProof(t)
	for _, args := range [][]string{{"backfill", "nojob"}, {"backfill", "submit", "nojob"}, {"replay", "nojob"}, {"replay", "submit", "nojob"}} {
		p.bad(exitUsage, "nojob", args...)
		p.bad(exitUsage, "sales_hourly", args...) // which there is
	}
	p.bad(exitUsage, "give the range", "backfill", "sales_hourly")
}

func TestARangeThatIsOpenIsListedSo(t *testing.T) {
	p := newSales(t)
	for want, args := range map[string][]string{
		"  from 2026-03-02T00:00:00Z on  ": {"--from", "2026-03-02"},
		"  until 2026-03-02T00:00:00Z  ":   {"--to", "2026-03-02"},
	} {
		p.good(append([]string{"backfill", "submit", "sales_hourly", "--recompute"}, args...)...)
		if out := p.good("backfill", "list"); !strings.Contains(out, want) && !strings.Contains(out, strings.TrimRight(want, " ")+", recompute") {
			t.Errorf("list says\n%s, want %q", out, want)
		}
	}
}
