package main

import (
	"strings"
	"testing"
)

// What only reads or writes logs of the lake does so on a machine that has no room for files of its own.
func TestWhatOnlyReadsOrWritesLogsNeedsNoRoom(t *testing.T) {
	p := newSales(t)
	p.write("roomless", "a scratch folder can't be made in a file")
	p.rewrite("lake: ./lake", "lake: ./lake\nengine: {temp_dir: ./roomless}")
	id := p.asked("--slices", "2")
	for _, args := range []string{
		"backfill list", "backfill show " + id, "backfill pause " + id, "backfill resize " + id + " --parallel 3", "backfill cancel " + id, "backfill resume " + id,
		"backfill submit sales_hourly --from 2026-03-01 --recompute --dry-run", "backfill sales_hourly --from 2026-03-01 --dry-run",
		"backfill sales_hourly --from 2026-03-01 --write-plan", "replay submit sales_hourly --from-position 0",
		"plan", "status", "schedules", "arrivals sales", "history sales_hourly", "diff sales_hourly 1 2", "rejects sales", "late", "held",
		"receipt sales_hourly 2026-03-01", "lake", "sweep", "compact --dry-run", "rollback sales_hourly --to 1", "query --print-views", "check-store", "validate",
	} {
		if r := p.run(strings.Fields(args)...); r.code != exitDone {
			t.Errorf("%s: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	for _, args := range []string{
		"worker --once", "run --once", "backfill sales_hourly --from 2026-03-01 --recompute", "land sales " + p.path("a.ndjson"), "query SELECT", "verify sales_hourly", "check-lake",
	} {
		p.bad(exitFailed, "engine.temp_dir", strings.Fields(args)...)
	}
}
