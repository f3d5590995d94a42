package manifests

import (
	"fmt"
	"testing"
	"time"
)

func TestEstimatesAreByThePartitionAndByTheRow(t *testing.T) {
	for name, c := range map[string]struct {
		of   Efforts
		rows int64
		want time.Duration
	}{
		"one that is known":         {Efforts{{1000, 50}}, 1000, 50 * time.Millisecond},
		"of one, rows tell nothing": {Efforts{{1000, 50}}, 5000, 50 * time.Millisecond},
		"of equal ones neither":     {Efforts{{10, 40}, {10, 60}}, 1 << 40, 50 * time.Millisecond},
		"on a line":                 {Efforts{{0, 20}, {1000, 120}}, 500, 70 * time.Millisecond},
		"beyond what was measured":  {Efforts{{0, 20}, {1000, 120}}, 10000, 1020 * time.Millisecond},
		"rows don't make it faster": {Efforts{{0, 100}, {1000, 20}}, 5000, 60 * time.Millisecond},
		"never less than nothing":   {Efforts{{1000, 10}, {2000, 40}}, 0, 0},
	} {
		estimate, known := c.of.Estimate()
		if !known {
			t.Fatalf("%s: unknown", name)
		}
		if got := estimate(c.rows).Round(time.Millisecond); got != c.want {
			t.Errorf("%s: %d rows take %v, want %v", name, c.rows, got, c.want)
		}
	}
	if _, known := (Efforts{}).Estimate(); known {
		t.Error("something is known of nothing")
	}
}

// Only what is published or held counts, and the oldest are forgotten.
func TestATableRemembersWhatItsLastResultsTook(t *testing.T) {
	var kept Efforts
	for i := range 2 * effortsKept {
		name := fmt.Sprint("p", i)
		edit := &Edit{Receipts: []Receipt{{Partition: name, InputRows: int64(i)}}}
		edit.keepTook(map[string]time.Duration{name: time.Microsecond, "withheld": time.Hour})
		before := fmt.Sprint(kept)
		next := kept.with(edit)
		if fmt.Sprint(kept) != before {
			t.Fatal("what a snapshot holds has changed")
		}
		kept = next
	}
	if len(kept) != effortsKept || kept[0] != (Effort{effortsKept, 1}) {
		t.Errorf("kept %d, the first %v", len(kept), kept[0])
	}
	if same := kept.with(&Edit{Receipts: []Receipt{{Partition: "of an older program"}}}); len(same) != len(kept) {
		t.Errorf("an edit that tells nothing of it counts")
	}
}
