package runner_test

import (
	"strings"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// The rows read beside a partition have windows of their own, and who groups by them is
// told so.
func TestAResultOfRowsBesideThePartitionIsRefusedAndSaysWhy(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	l.land("two days", sale{day(1), "1", "a", 5}, sale{day(2), "2", "a", 5})
	task := l.task(window.Job{
		Name: "beside", Inputs: []window.Input{{Name: "sales", After: 24 * time.Hour}},
		Window: window.Window{Kind: window.Tumbling, Size: time.Hour}, Grain: window.GrainDay,
		Key: []string{"window_start"}, SQL: "SELECT window_start, count(*) AS n FROM sales GROUP BY window_start",
	})
	var told []string
	for _, o := range l.run(task, runner.Request{Driver: manifests.DriverBackfill}).Outcomes {
		if o.Err != nil {
			told = append(told, o.Partition.String()+": "+o.Err.Error())
		}
	}
	const want = "before and after read rows of sales beside the partition"
	if len(told) != 1 || !strings.HasPrefix(told[0], "2026-03-01: ") || !strings.Contains(told[0], want) {
		t.Fatalf("got %q, want of the first day alone to be told that %s", told, want)
	}
}
