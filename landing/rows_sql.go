package landing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strandline/internal/datafile"
)

// HoursSQL returns a DuckDB query of the columns hour and rows: how many of the rows are
// in segments, by their bucket-hours. paths[i] is where segments[i] is found, as a quoted
// SQL text, and there is at least one; they have the same columns.
func (r Rows) HoursSQL(segments []Segment, paths []string) string {
	bases := make([]string, len(segments))
	for i, s := range segments {
		bases[i] = strconv.FormatInt(int64(s.Base), 10)
	}
	return fmt.Sprintf(`SELECT hour, count(*) AS rows FROM (
  SELECT %s AS hour, ([%s]::BIGINT[])[file_index::BIGINT + 1] + "%s" AS position, %s, %s
  FROM %s
) WHERE %s GROUP BY hour`, floorSQL, strings.Join(bases, ", "), columnOffset, ColumnSource, ColumnSourcePosition,
		datafile.ReadSQL("["+strings.Join(paths, ", ")+"]", false), r.where(segments[0].Base, segments[len(segments)-1].End()))
}

// where is the condition that rows at positions of [from, to) are among these.
func (r Rows) where(from, to Position) string {
	var at []string
	for _, one := range r.At {
		if one.From < to && from < one.To {
			at = append(at, fmt.Sprintf("position >= %d AND position < %d", one.From, one.To))
		}
	}
	if len(at) == 0 {
		return "false"
	}
	text := "(" + strings.Join(at, " OR ") + ")"
	if r.Source != nil {
		text += r.Source.where()
	}
	return text
}

func (s RowSource) where() string {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	text := fmt.Sprintf(" AND %s = %s", ColumnSource, quote(s.Name))
	if s.Match != "" {
		text = fmt.Sprintf(" AND regexp_full_match(%s, %s)", ColumnSource, quote(s.Match))
	}
	if s.Offsets != nil {
		text += fmt.Sprintf(" AND %[1]s >= %[2]d AND %[1]s < %[3]d", ColumnSourcePosition, s.Offsets.From, s.Offsets.To)
	}
	return text
}

// Alike cuts segments into runs that have the same columns and are of at most so many.
func Alike(segments []Segment, most int) (runs [][]Segment) {
	for len(segments) > 0 {
		n := 1
		for n < min(most, len(segments)) && slices.Equal(segments[0].Columns, segments[n].Columns) {
			n++
		}
		runs, segments = append(runs, segments[:n]), segments[n:]
	}
	return runs
}
