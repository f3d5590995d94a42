// Package compaction keeps streams from being made of ever more, ever smaller
// segments. It plans which of them to merge, and has them merged one run after
// the other, at a pace of its own: it never stands in the way of whoever lands
// or publishes.
package compaction

import (
	"strandline/landing"
)

// Limits bound what is merged at a time.
type Limits struct {
	// Target is how many bytes a segment should have. Larger ones stay as they are.
	Target int64
	// Growth is by how much a merge multiplies the rows of the largest segment in
	// it, at least; so a row is rewritten at most log(rows of the stream) to the
	// base of Growth times on its way up. At least 2.
	Growth int64
	// Members is how many segments are merged at once, at most.
	Members int
	// Columns is how many columns these may have together, since all are read side
	// by side; but as many segments as Growth asks for may always be merged.
	Columns int
}

// DefaultLimits merge four segments of a size, or more that are smaller, until
// they have 64 MiB.
// A column that is being read takes some 100 KiB of memory.
var DefaultLimits = Limits{Target: 64 << 20, Growth: 4, Members: 256, Columns: 2048}

// builtIn is how many columns a segment has beside the declared ones.
const builtIn = 6

// maxRows is how many rows a segment may have and still be merged: compression
// may make many rows few bytes.
const maxRows = 16 << 20

// Task is one merge: segments that follow one another in position and have the
// same declared columns, at least two.
type Task struct {
	Segments []landing.Segment
	Rows     int64
	Bytes    int64 // of the files that are read
}

// Plan chooses what to merge of a stream's segments, ascending by position. Those
// that are left out divide what may be merged. It is a pure function of its arguments; printing it is the dry run. Tasks share
// no segment, and are in order of position. Carrying them out may make room for
// others.
func Plan(segments []landing.Segment, limits Limits) []Task {
	var tasks []Task
	for len(segments) > 0 {
		task := limits.longest(segments)
		if n := len(task.Segments); n > 0 {
			tasks, segments = append(tasks, task), segments[n:]
		} else {
			segments = segments[1:]
		}
	}
	return tasks
}

// longest returns the longest merge that begins with the first segment, none
// if there is none worth it.
func (l Limits) longest(segments []landing.Segment) (best Task) {
	var rows, bytes, largest int64
	for i, s := range segments[:min(l.members(segments[0]), len(segments))] {
		rows, bytes, largest = rows+s.Rows, bytes+s.Bytes, max(largest, s.Rows)
		if i > 0 && s.Base != segments[i-1].End() {
			break // what lies between is left out
		}
		if !l.small(s) || rows > 2*maxRows || bytes > 2*l.Target || !s.DeclaredAs(segments[0]) {
			break
		}
		if i > 0 && l.worth(rows, bytes, largest) {
			best = Task{Segments: segments[:i+1], Rows: rows, Bytes: bytes}
		}
	}
	return best
}

// members is how many segments with the columns of s are merged at once, at most.
func (l Limits) members(s landing.Segment) int {
	return min(l.Members, max(2*int(l.Growth), l.Columns/(len(s.Columns)+builtIn)))
}

func (l Limits) small(s landing.Segment) bool { return s.Bytes < l.Target && s.Rows < maxRows }

// worth tells whether a merge multiplies the largest segment's rows by enough.
// Where it reaches the target it is likely the last one of its rows, and
// doubling them is enough.
//
// What counts is rows, which a merge adds up, and not bytes, of which it may
// make less.
func (l Limits) worth(rows, bytes, largest int64) bool {
	return rows >= l.Growth*largest || rows >= 2*largest && (bytes >= l.Target || rows >= maxRows)
}
