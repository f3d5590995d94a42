package runner

import (
	"context"
	"runtime"
	"time"

	"strandline/window"
)

// Forecast is how long running a plan is likely to take.
type Forecast struct {
	Lasts time.Duration
	// By is how many of the table's last results tell it; 0: none does, and nothing is
	// known.
	By int
}

// Forecast tells how long running a plan would take on this machine, with so many partitions
// at a time, by what the table's last results took. It reads no data file.
func (t *Task) Forecast(ctx context.Context, plan window.Plan, parallel int) (Forecast, error) {
	table, err := t.table.Snapshot(ctx)
	if err != nil {
		return Forecast{}, err
	}
	estimate, known := table.Efforts().Estimate()
	if !known {
		return Forecast{}, nil
	}
	var all, longest time.Duration
	for _, s := range plan.Tasks {
		one := estimate(s.Input.Rows)
		all, longest = all+one, max(longest, one)
	}
	return Forecast{Lasts: max(longest, all/time.Duration(busy(parallel))), By: len(table.Efforts())}, nil
}

// effort is what work took of one core, which lasted that long beside others.
func effort(lasted time.Duration, parallel int) time.Duration {
	return lasted * time.Duration(busy(parallel)) / time.Duration(max(1, parallel))
}

// busy is how many cores so many workers keep busy.
func busy(parallel int) int { return max(1, min(parallel, runtime.NumCPU())) }
