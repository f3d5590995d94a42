package kube

import (
	"encoding/json"
	"strings"
	"testing"
)

// begunSince lists the indexes of the pods that began after the first so many events.
func (w *world) begunSince(first int) (begun []int) {
	w.t.Helper()
	for _, e := range w.cluster.events(w.t, w.namespace)[first:] {
		if e.start {
			begun = append(begun, index(w.t, e.pod))
		}
	}
	return begun
}

// A request that ended by its failures goes on when it is resumed: it bears as many new ones, and begins nothing of
// slices that are done.
func TestAResumeBearsAsManyNewFailures(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 6, sql: `SELECT window_start, kind, sum(CAST(CASE WHEN id IN (3, 9) THEN 'bad' ELSE '1' END AS INTEGER))::BIGINT AS events FROM events GROUP BY window_start, kind`})
	id := w.submitted("--max-failures", "1", "--order", "oldest", "--slices", "6", "--parallel", "1")
	w.shows(id, "hourly  failed, now 1 of 6 partitions done, 1 failed, 4 left", "too many partitions failed: it was to end at 1")
	if said := w.must(0, "backfill", "list"); !strings.Contains(said, "too many partitions failed: it was to end at 1") {
		t.Errorf("list says\n%s", said)
	}
	first := len(w.cluster.events(t, w.namespace))
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  failed, now 2 of 6 partitions done, 2 failed, 2 left")
	if begun := w.begunSince(first); len(begun) < 3 || len(begun) > 4 { // the slices that are left, up to the second bad one
		t.Errorf("resumed, these began: %v", begun)
	}
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  failed in part, now 4 of 6 partitions done, 2 failed", "slices: 6, 1 at a time: 6 run, 2 of them with failures")
	w.publishedOnce(2)
}

// What is computed again and was cancelled goes on with the slices that were not run.
func TestAResumeGoesOnWithWhatIsComputedAgain(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 8})
	w.must(0, "backfill", "hourly", "--missing")
	id := w.submitted("--recompute", "--slices", "8", "--parallel", "1")
	w.await("two ended pods", func(events []event) bool { return ended(events) >= 2 })
	w.must(0, "backfill", "pause", id)
	w.await("no running pod", func(events []event) bool { return len(running(events)) == 0 })
	w.shows(id, " succeeded, 0 failed")
	w.must(0, "backfill", "cancel", id)
	run := w.slicesRun(id)
	first := len(w.cluster.events(t, w.namespace))
	w.must(0, "backfill", "resume", id)
	w.shows(id, "hourly  done, 8 of 8 partitions done")
	if begun := w.begunSince(first); run == 0 || len(begun) != 8-run {
		t.Errorf("cancelled with %d slices run, and resumed, these began: %v", run, begun)
	}
}

// slicesRun is how many slices of a request were run to their end.
func (w *world) slicesRun(id string) int {
	w.t.Helper()
	var f struct {
		Run int `json:"slices_run"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "backfill", "show", id, "--json")), &f); err != nil {
		w.t.Fatal(err)
	}
	return f.Run
}
