package runner

import "slices"

// inOrder puts tasks into an order in which each comes after those whose tables it reads,
// and else as they are. Configurations with a circle are refused.
func inOrder(tasks []*Task) []*Task {
	byTable := map[string]*Task{}
	for _, t := range tasks {
		byTable[t.table.Name()] = t
	}
	var ordered []*Task
	done := map[*Task]bool{}
	var put func(t *Task)
	put = func(t *Task) {
		if t == nil || done[t] {
			return
		}
		done[t] = true
		for _, table := range t.Job().Tables() {
			put(byTable[table])
		}
		ordered = append(ordered, t)
	}
	for _, t := range tasks {
		put(t)
	}
	return ordered
}

// waitsFor tells whether a job is to wait for another, whose table it reads, that has
// more to do than one trigger took: its own results would have to be computed again. A
// stream that ends also waits until nothing is to be done there, so that what it settles
// is all that follows from what was there.
func (s *stream) waitsFor(f *follower) bool {
	tables := f.task.Job().Tables()
	return slices.ContainsFunc(s.followers, func(other *follower) bool {
		return slices.Contains(tables, other.task.table.Name()) && (other.more || s.options.Once && !other.settled)
	})
}
