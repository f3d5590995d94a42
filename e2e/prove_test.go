package e2e

import (
	"strings"
	"testing"
)

// Receipts of every driver, of the real program, over real stores: each is
// reproduced another way, and what harms one file shows in one partition.
func TestReceiptsAreReproducedAnotherWay(t *testing.T) {
	lines := quakeLines(t)
	stores(t, func(t *testing.T, lakeYAML func(t *testing.T) string) {
		w := newWorld(t, lakeYAML(t), 31)
		files, _ := w.arrivals(lines, 6)
		for i, file := range files {
			w.run("land", "quakes", file)
			switch i % 3 {
			case 0:
				w.run("run", "--once")
			case 1:
				w.run("backfill", "quakes_hourly", "--from", "2018-02-01", "--to", "2018-02-04")
			}
		}
		stale := w.run("verify", "quakes_hourly", "--seed", "5")
		if !strings.Contains(stale, " 0 differ, 0 not recomputable") {
			t.Errorf("with rows not yet published:\n%s", stale)
		}
		w.run("run", "--once")
		if out := w.run("verify", "quakes_hourly"); !strings.Contains(out, "8 partitions, 8 reproduced, 0 stale, 0 differ, 0 not recomputable") {
			t.Errorf("verify says\n%s", out)
		}
		if out := w.run("reconcile", "quakes_hourly"); !strings.Contains(out, " 0 only left 0 only right 0 changed") {
			t.Errorf("reconcile says\n%s", out)
		}
		if out := w.run("reconcile", "quakes_hourly", "--series"); strings.Count(out, "8 partitions of all") != 1 {
			t.Errorf("the series says\n%s", out)
		}
		if out := w.run("receipt", "quakes_hourly", "2018-02-01", "--sql"); strings.Count(out, "read_parquet(") != 2 {
			t.Errorf("receipt --sql says\n%s", out)
		}
	})
}
