package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A job may have the name of a command of backfill.
func TestAJobNamedAsACommandIsBackfilled(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "sales_hourly:", "list:", 1))
	if out := p.run("validate"); !strings.Contains(out.err, "strandline backfill … -- list is of the job") {
		t.Errorf("validate says %q", out.err)
	}
	for _, args := range [][]string{
		{"backfill", "--from", "2026-03-01", "--to", "2026-03-03", "--dry-run", "--", "list"},
		{"backfill", "--dry-run", "--last", "10d", "--", "list"},
	} {
		if r := strandline(t, append([]string{"-c", p.path("strandline.yaml")}, args...)...); !strings.Contains(r.out, "backfill of list would recompute") {
			t.Errorf("%v says\n%s%s", args, r.out, r.err)
		}
	}
}

func TestAnInterruptIsToldWithoutTheWordsOfTheLanguage(t *testing.T) {
	for want, err := range map[string]error{
		"": context.Canceled,
		" (backfill of job sales: statement interrupted)": fmt.Errorf("backfill of job sales: statement interrupted: %w", context.Canceled),
		" (read a: one)": fmt.Errorf("read a: %w", errors.Join(errors.New("one"))),
	} {
		if got := brokenOff(err); got != want {
			t.Errorf("%v is told as %q, want %q", err, got, want)
		}
	}
}
