package landing

import (
	"slices"
	"sort"
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
type steps []step

const exactSteps = 128

// add adds a step, which is above all others.
func (l *steps) add(s step) {
	if n := len(*l); n > 0 && (*l)[n-1].from == s.from { // no row lies between
		(*l)[n-1].at = s.at
		return
	}
	*l = append(*l, s)
	if i := len(*l) - 1 - exactSteps; i > 0 && floorTo((*l)[i-1].at, quarter) == floorTo((*l)[i].at, quarter) {
		*l = slices.Delete(*l, i, i+1)
	}
}

// passed returns from which position on the watermark had passed an instant, in µs; head
// if it has not.
func (l steps) passed(instant int64, head Position) Position {
	i := sort.Search(len(l), func(i int) bool { return l[i].at >= instant })
	if i == len(l) {
		return head
	}
	return l[i].from
}

// floorTo returns the last multiple of a size at or before n.
func floorTo(n, size int64) int64 { return n - ((n%size)+size)%size }
