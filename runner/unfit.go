package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// unfit is a job that is left out, and why.
type unfit struct {
	job string
	err error
}

// leave leaves a job out until the stream is started again.
func (s *stream) leave(t *Task, why error) {
	s.unfit = append(s.unfit, unfit{t.Job().Name, why})
	if s.left == nil || !strings.Contains(s.left.Error(), why.Error()) { // one damaged log is of many jobs
		s.left = errors.Join(s.left, why)
	}
	s.followers = slices.DeleteFunc(s.followers, func(f *follower) bool { return f.task == t })
}

// tellUnfit tells of the jobs that are left out while others are not: else, and by a stream
// that ends, they are returned before long.
func (s *stream) tellUnfit() {
	if s.options.Once || len(s.followers) == 0 {
		return
	}
	for _, u := range s.unfit {
		s.options.Trouble(u.job, fmt.Errorf("it is left out until this is mended and the stream is started again: %w", u.err))
	}
	s.unfit = nil
}
