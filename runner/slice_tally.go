package runner

import (
	"sync"

	"strandline/manifests"
	"strandline/plans"
)

// Others is what a slice is told of the others of its plan, so that MaxFailures is of all of
// them, wherever they are run. What fails is recorded in the table before the next partition
// begins, and what others have recorded counts by then. So those alone that are being computed
// when the last one is too many can be more.
type Others struct {
	Failed int // partitions of slices that were run, that count in MaxFailures
	Before int // partitions of the plan that had failed or were held when it was begun
}

// tally counts the partitions of a whole plan that its table has as failed or held. It is
// safe for concurrent use.
type tally struct {
	mu    sync.Mutex
	tasks map[string]plans.Task
	at    manifests.Version // of the table that was counted last
	n     int
}

func (c *tally) count(f plans.File, table *manifests.Snapshot) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = make(map[string]plans.Task, len(f.Tasks))
		for _, task := range f.Tasks {
			c.tasks[task.Partition] = task
		}
	} else if c.at == table.Version {
		return c.n
	}
	c.at, c.n = table.Version, 0
	for _, failure := range table.Failures() {
		c.add(f, failure.Partition, table)
	}
	for _, held := range table.Candidates() {
		if _, failed := table.Failed(held.Receipt.Partition); !failed {
			c.add(f, held.Receipt.Partition, table)
		}
	}
	return c.n
}

func (c *tally) add(f plans.File, partition string, table *manifests.Snapshot) {
	task, is := c.tasks[partition]
	if !is {
		return
	}
	if state := f.StateOf(task, table); state == plans.Failed || state == plans.Held {
		c.n++
	}
}

// elsewhere is how many failures count that this process may not have met: those that the
// table knows of.
func (r *sliceRun) elsewhere(table *manifests.Snapshot) int {
	if r.others == nil {
		return 0
	}
	return r.tally.count(r.file, table) - r.others.Before
}
