package plans

import (
	"errors"
	"fmt"
	"slices"
)

// ErrSlice says that a plan has no such slice.
var ErrSlice = errors.New("the plan has no such slice")

// Slice returns the tasks of the i-th of n contiguous slices, counted from 0. Together
// they are all tasks, each once, in the order of the plan; one may be empty. It is
// ErrSlice unless 0 <= i < n, and where an atomic plan is cut.
func (f File) Slice(i, n int) ([]Task, error) {
	switch {
	case n < 1 || i < 0 || i >= n:
		return nil, fmt.Errorf("slice %d of %d: %w: they are counted from 0, and there is at least 1", i, n, ErrSlice)
	case f.Atomic && n > 1:
		return nil, fmt.Errorf("slice %d of %d: %w: all of an atomic plan is published by one edit, so it is one slice", i, n, ErrSlice)
	}
	return f.Tasks[cut(len(f.Tasks), i, n):cut(len(f.Tasks), i+1, n)], nil
}

// LeftOf lists those of n slices of which something is left: tasks that are not done by the
// table, as with Again they never are. n is at least 1, and 1 of an atomic plan.
func (p Progress) LeftOf(n int) []int {
	return p.having(n, func(s State) bool { return s != Done })
}

// LackingOf lists those of n slices of which the table shows that something is left, as it
// does of no task with Again.
func (p Progress) LackingOf(n int) []int {
	return p.having(n, func(s State) bool { return s != Done && s != Untold })
}

// CountIn is how many tasks of the i-th of n slices are in a state, as File.Slice counts slices.
func (p Progress) CountIn(s State, i, n int) (count int) {
	for _, is := range p.States[cut(len(p.States), i, n):cut(len(p.States), i+1, n)] {
		if is == s {
			count++
		}
	}
	return count
}

// having lists those of n slices that have such a task.
func (p Progress) having(n int, is func(State) bool) (all []int) {
	for i := range n {
		if slices.ContainsFunc(p.States[cut(len(p.States), i, n):cut(len(p.States), i+1, n)], is) {
			all = append(all, i)
		}
	}
	return all
}

// cut is where the i-th of n parts of a whole begins. It can't overflow.
func cut(whole, i, n int) int { return whole/n*i + whole%n*i/n }

// The slices that a plan is cut into if nobody says: many more than workers, so that a
// slow one holds up little, and few enough that each is worth its start.
const (
	tasksPerSlice = 32
	mostSlices    = 1_000
)

// DefaultSlices is how many slices the plan is cut into if nobody says.
func (f File) DefaultSlices() int {
	if f.Atomic {
		return 1
	}
	return min(max(1, (len(f.Tasks)+tasksPerSlice-1)/tasksPerSlice), mostSlices)
}
