package window

import (
	"fmt"
	"strings"
)

// tileSQL is the start and the end of the tile that an instant lies in, which is in
// one of the stretches. There are few of them, so no table of tiles has to be joined.
func tileSQL(at string, stretches []stretch) (start, end string) {
	starts, ends := &strings.Builder{}, &strings.Builder{}
	for _, s := range stretches {
		first := fmt.Sprintf("%[1]s - (%[1]s - %[2]d) %% %[3]d", at, s.from, s.step)
		fmt.Fprintf(starts, " WHEN %s < %d THEN %s", at, s.to, first)
		fmt.Fprintf(ends, " WHEN %s < %d THEN least(%s + %d, %d)", at, s.to, first, s.step, s.to)
	}
	if len(stretches) == 0 {
		return at, at
	}
	return fmt.Sprintf("CASE%s END", starts), fmt.Sprintf("CASE%s END", ends)
}

// hoppingOverSQL is hoppingSQL where windows are not evenly spaced: each row goes back
// from the last window of each run of them that it can lie in.
func (w Window) hoppingOverSQL(rows string, starts span) string {
	const at = "epoch_us(landed.event_time)"
	runs, back := w.runsSQL(starts)
	step := w.Every.Microseconds()
	last := fmt.Sprintf("least(%s, run.stop - 1)", at)
	start := fmt.Sprintf("%[1]s - (%[1]s - run.start) %% %[2]d - hop.back", last, step)
	return fmt.Sprintf(`SELECT %s, landed.*
FROM (SELECT *
%s) landed JOIN (%s) run(start, stop, size) ON %[4]s >= run.start AND %[4]s < run.stop + run.size, range(0, %d, %d) hop(back)
WHERE %[7]s >= run.start AND %[4]s < %[7]s + run.size`,
		windowSQL(start, start+" + run.size"), rows, runs, at, back, step, start)
}

// runsSQL lists the windows that start in a span in runs of evenly spaced ones of one
// size: where the first starts, before where the last does, and the size. back is how far
// before a row those that it lies in may start, or be said to. Windows of whole days are
// few, and each is a run.
func (w Window) runsSQL(in span) (runs string, back int64) {
	t := w.tiling()
	starts := span{t.ceil(in.from), max(t.ceil(in.from), t.ceil(in.to))}
	var parts []string
	add := func(start, stop, size int64) {
		parts = append(parts, fmt.Sprintf("(%d::BIGINT, %d::BIGINT, %d::BIGINT)", start, stop, size))
	}
	for _, s := range t.stretches(starts) {
		if t.within() {
			add(s.from, s.to, w.Size.Microseconds())
			continue
		}
		for start := s.from; start < s.to; start += s.step {
			add(start, start+1, w.end(start)-start)
		}
	}
	if len(parts) == 0 {
		add(0, 0, 0)
	}
	if back = w.Size.Microseconds(); !t.within() {
		back = 1
	}
	return "VALUES " + strings.Join(parts, ", "), back
}
