package main

import (
	"fmt"
	"strings"
	"testing"

	"strandline/requests"
)

// Slices at work at the same time bear what one would, and no more than one each beyond it. What failed
// does not count when the request is resumed.
func TestSlicesOfARequestShareItsBudget(t *testing.T) {
	const days, cut, most = 24, 4, 3
	p := newProof(t)
	var rows strings.Builder
	for day := range days {
		fmt.Fprintf(&rows, `{"at":"2026-04-%02dT10:00:00Z","shop":"x","cents":9}`+"\n", 1+day)
	}
	p.write("c.ndjson", rows.String())
	p.good("land", "sales", p.path("c.ndjson"))
	p.rewrite("sum(cents)", "sum(cents * 1100000000000000000)") // which 9 is too many for
	out := p.good("backfill", "submit", "sales_hourly", "--from", "2026-04-01", "--to", "2026-05-01", "--slices", fmt.Sprint(cut), "--max-failures", fmt.Sprint(most))
	id, _, _ := strings.Cut(out, "\n")
	failed := 0
	for range 3 {
		p.bad(exitSomeFailed, "too many partitions failed", "worker", "--once", "--parallel", fmt.Sprint(cut))
		f := p.stands(id)
		if n := f.Progress.Failed - failed; f.State != requests.Broken || n < most || n >= most+cut {
			t.Errorf("it is %s, and %d more have failed, want %d, and up to %d that were being computed", f.State, n, most, cut-1)
		}
		if n := *f.Progress; n.Done+n.Failed+n.Held+n.Left != days {
			t.Errorf("of %d partitions it counts %+v", days, n)
		}
		if f.Reason != "too many partitions failed: it was to end at 3" {
			t.Errorf("it ended since %s", f.Reason)
		}
		if f.Run != 0 {
			t.Errorf("%d slices are said to have been run to their end", f.Run)
		}
		failed = f.Progress.Failed
		p.good("backfill", "resume", id)
	}
}
