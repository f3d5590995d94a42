package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"strandline/manifests"
	"strandline/requests"
)

// Whatever gives a table other code by hand tells what requests that ends.
func TestWhoGivesATableOtherCodeIsToldWhichRequestsThatEnds(t *testing.T) {
	const day = " --from 2026-03-01 --to 2026-03-02"
	for args, other := range map[string]string{
		"backfill sales_hourly" + day:              "sum(cents + 1)",
		"backfill sales_hourly --write-plan" + day: "sum(cents + 1)",
		"backfill submit sales_hourly" + day:       "sum(cents + 1)",
		"replay sales_hourly --from-position 0":    "sum(cents + 1)",
		"backfill sales_hourly --rebuild":          "",
		"run --once":                               "sum(cents + 1)",
	} {
		p := newSales(t)
		id := p.asked()
		if other == "" {
			p.rewrite("partition: day", "partition: month")
		} else {
			p.rewrite("sum(cents)", other)
		}
		r := p.run(strings.Fields(args)...)
		told := "so 1 request of other code will end as failed: " + id[:12] + " (backfill of sales_hourly, 2026-03-01T00:00:00Z to 2026-03-04T00:00:00Z, 2 of 2 partitions left); submit again"
		if r.code != exitDone || strings.Count(r.err, told) != 1 {
			t.Errorf("%s ends with %d and says\n%s%s", args, r.code, r.out, r.err)
		}
		listed := p.good("backfill", "list")
		if want := id[:8] + "  sales_hourly  waiting, 2 partitions, 0 of 1 slice run (the table has other code since)"; !strings.Contains(listed, want) || !strings.Contains(listed, ": nobody can go on with it, so it will end as failed: submit it again") {
			t.Errorf("after %s list says\n%s", args, listed)
		}
		if again := p.run(strings.Fields(args)...); strings.Contains(again.err, "of other code") && other != "" {
			t.Errorf("%s says again what was told\n%s", args, again.err)
		}
	}
}

// A table that was given other code and then its own again is that of its requests again.
func TestARequestOfCodeThatCameBackGoesOn(t *testing.T) {
	p := newSales(t)
	id := p.asked()
	a := &app{out: io.Discard, err: io.Discard, configPath: p.path("strandline.yaml"), env: func(string) (string, bool) { return "", false }}
	l, err := a.writeLake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	r, err := l.requests.Find(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	w := &working{lake: l}
	replaced := fmt.Errorf("publish: %w", manifests.ErrReplaced)
	for _, step := range []struct {
		old, new string
		forGood  bool
	}{{"sum(cents)", "sum(cents + 1)", true}, {"sum(cents + 1)", "sum(cents)", false}} {
		p.rewrite(step.old, step.new)
		p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02")
		if got := w.forGood(t.Context(), r, replaced); got != step.forGood {
			t.Errorf("with %s it has failed for good: %t", step.new, got)
		}
	}
	if out := p.good("worker", "--once"); !strings.Contains(out, " published ") {
		t.Errorf("the worker says\n%s", out)
	}
	if f := p.stands(id); f.State != requests.Done {
		t.Errorf("list says %+v", f)
	}
}
