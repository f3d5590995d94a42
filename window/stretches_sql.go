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

// hoppingOverSQL is hoppingSQL where windows are not evenly spaced: each row is held
// against the windows that start in the partition.
func (w Window) hoppingOverSQL(rows string, p span) string {
	return fmt.Sprintf(`SELECT %s, landed.*
FROM (SELECT *
%s) landed, (%s) hop
WHERE epoch_us(landed.event_time) >= hop.start AND epoch_us(landed.event_time) < hop.stop`,
		windowSQL("hop.start", "hop.stop"), rows, w.startsSQL(p))
}

// startsSQL lists the windows that start in a partition. Those of whole days are few,
// and each is written; of others the stretches are.
func (w Window) startsSQL(p span) string {
	t := w.tiling()
	starts := span{t.ceil(p.from), max(t.ceil(p.from), t.ceil(p.to))}
	size := fmt.Sprintf("start + %d", w.Size.Microseconds())
	var parts []string
	for _, s := range t.stretches(starts) {
		if t.within() {
			parts = append(parts, fmt.Sprintf("SELECT start, %s AS stop FROM range(%d, %d, %d) of(start)", size, s.from, s.to, s.step))
			continue
		}
		for start := s.from; start < s.to; start += s.step {
			parts = append(parts, fmt.Sprintf("SELECT %d::BIGINT AS start, %d::BIGINT AS stop", start, w.end(start)))
		}
	}
	if len(parts) == 0 {
		return "SELECT 0::BIGINT AS start, 0::BIGINT AS stop"
	}
	return strings.Join(parts, " UNION ALL ")
}
