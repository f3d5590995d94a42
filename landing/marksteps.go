package landing

import (
	"errors"
	"slices"
	"sort"

	"strandline/internal/packed"
)

// step is where the watermark was for the rows from a position on, in µs.
type step struct {
	from Position
	at   int64
}

// steps are how the watermark went up, ascending by both. The newest are all there. Of
// older ones only those are kept that were the first in their quarter of an hour of event
// time, so that they are no more than the quarters that were passed. What is kept depends
// on what came, and not on when it was looked at.
type steps struct {
	older  stepColumns // as they came in a checkpoint
	newest []step      // exactSteps and more, if there are as many
}

// stepColumns lie packed, so that who opens a stream takes them over without looking at
// each.
type stepColumns struct {
	len      int
	from, at packed.Ints
}

const exactSteps = 128

func (l *steps) len() int { return l.older.len + len(l.newest) }

// at returns the step at i.
func (l *steps) at(i int) step {
	if i < l.older.len {
		return l.older.step(i)
	}
	return l.newest[i-l.older.len]
}

func (c *stepColumns) step(i int) step { return step{Position(c.from.At(i)), c.at.At(i)} }

func (c *stepColumns) ascend() bool { return c.from.Ascend(c.len) && c.at.Ascend(c.len) }

// add adds a step, which is above all others.
func (l *steps) add(s step) {
	if n := len(l.newest); n > 0 && l.newest[n-1].from == s.from { // no row lies between
		l.newest[n-1].at = s.at
		return
	}
	l.newest = append(l.newest, s)
	if i := l.len() - 1 - exactSteps; i > 0 && floorTo(l.at(i-1).at, quarter) == floorTo(l.at(i).at, quarter) {
		i -= l.older.len
		l.newest = slices.Delete(l.newest, i, i+1)
	}
}

// passed returns from which position on the watermark had passed an instant, in µs; head
// if it has not.
func (l *steps) passed(instant int64, head Position) Position {
	i := sort.Search(l.len(), func(i int) bool { return l.at(i).at >= instant })
	if i == l.len() {
		return head
	}
	return l.at(i).from
}

// check tells whether the watermark goes up step by step, up to where it is.
func (l *steps) check(high int64) error {
	last, up := step{-1, never}, l.older.ascend()
	if n := l.older.len; up && n > 0 {
		up = l.older.step(0).from > last.from && l.older.step(0).at > last.at
		last = l.older.step(n - 1)
	}
	for _, s := range l.newest {
		up = up && last.from < s.from && last.at < s.at
		last = s
	}
	if !up {
		return errors.New("the watermark does not go up step by step")
	}
	if last.at != high {
		return errors.New("the watermark is not where its last step is")
	}
	return nil
}

// pack writes all steps for a checkpoint.
func (l *steps) pack(w *packed.Writer) {
	from, at := make([]int64, l.len()), make([]int64, l.len())
	for i := range from {
		s := l.at(i)
		from[i], at[i] = int64(s.from), s.at
	}
	w.Uint(uint64(len(from)))
	w.Ints(from)
	w.Ints(at)
}

// readSteps reads what pack wrote.
func readSteps(r *packed.Reader) (l steps) {
	n := r.Count(0)
	columns := stepColumns{n, r.Ints(n), r.Ints(n)}
	if r.Err() != nil {
		return steps{}
	}
	for i := max(0, n-exactSteps); i < n; i++ {
		l.newest = append(l.newest, columns.step(i))
	}
	if columns.len -= len(l.newest); columns.len > 0 {
		l.older = columns
	}
	return l
}

// floorTo returns the last multiple of a size at or before n.
func floorTo(n, size int64) int64 { return n - ((n%size)+size)%size }
