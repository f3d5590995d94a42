package window

import "fmt"

// sql is a SELECT of rows with window_start and window_end, of the windows that
// are seen. rows is the rest of a SELECT, from FROM on. Instants are made
// of numbers, here and below: adding an INTERVAL would go by the calendar.
func (w Window) sql(rows string, sees seen) string {
	switch w.Kind {
	case Hopping:
		if !w.tiling().uniform() {
			return w.hoppingOverSQL(rows, w.starts(sees))
		}
		return w.hoppingSQL(rows, w.starts(sees))
	case Session:
		return w.sessionSQL(rows, sees)
	case None:
		return "SELECT *\n" + rows
	default:
		return w.tumblingSQL(rows, w.starts(sees))
	}
}

// windowSQL makes the window's columns of two numbers.
func windowSQL(start, end string) string {
	return fmt.Sprintf("make_timestamptz(%s) AS %s, make_timestamptz(%s) AS %s", start, ColumnWindowStart, end, ColumnWindowEnd)
}

// floorSQL is floor in SQL.
func (w Window) floorSQL(micros string) string {
	return floorToSQL(micros, w.Offset.Microseconds(), w.step().Microseconds())
}

// floorToSQL is the last instant at or before one, both in microseconds, that is
// offset after a whole multiple of step. % has the sign of the dividend, so it is made
// positive first, for times before 1970.
func floorToSQL(micros string, offset, step int64) string {
	return fmt.Sprintf("%[1]s - (((%[1]s - %[2]d) %% %[3]d + %[3]d) %% %[3]d)", micros, offset, step)
}

func (w Window) tumblingSQL(rows string, starts span) string {
	const at = "epoch_us(event_time)"
	if t := w.tiling(); !t.uniform() {
		return fmt.Sprintf("SELECT %s, *\n%s", windowSQL(tileSQL(at, t.stretches(w.starting(starts)))), rows)
	}
	start := w.floorSQL(at)
	return fmt.Sprintf("SELECT %s, *\n%s", windowSQL(start, fmt.Sprintf("%s + %d", start, w.Size.Microseconds())), rows)
}

// hoppingSQL makes of each row as many as there are windows that it lies in and that
// start in a span. Going back from the last window that starts before the row
// is half again as fast as a list of starts for each row.
func (w Window) hoppingSQL(rows string, starts span) string {
	step, size := w.step().Microseconds(), w.Size.Microseconds()
	start := fmt.Sprintf("%s - hop.back", w.floorSQL("epoch_us(landed.event_time)"))
	return fmt.Sprintf(`SELECT %s, landed.*
FROM (SELECT *
%s) landed, range(0, %d, %d) hop(back)
WHERE epoch_us(landed.event_time) < %[5]s + %[6]d AND %[5]s >= %[7]d AND %[5]s < %[8]d`,
		windowSQL(start, fmt.Sprintf("%s + %d", start, size)), rows, size, step, start, size, starts.from, starts.to)
}
