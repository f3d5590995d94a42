package window

import (
	"fmt"
)

// sql is a SELECT of rows with window_start and window_end, of the windows that
// start in a partition. rows is the rest of a SELECT, from FROM on. All instants are
// made of numbers: adding an INTERVAL would go by the calendar.
func (w Window) sql(rows string) string {
	if w.Kind == None {
		return "SELECT *\n" + rows
	}
	return w.tumblingSQL(rows)
}

// windowSQL makes the window's columns of two numbers.
func windowSQL(start, end string) string {
	return fmt.Sprintf("make_timestamptz(%s) AS %s, make_timestamptz(%s) AS %s", start, ColumnWindowStart, end, ColumnWindowEnd)
}

// floorSQL is floor in SQL: % has the sign of the dividend, so it is made positive
// first, for times before 1970.
func (w Window) floorSQL(micros string) string {
	return floorToSQL(micros, w.Offset.Microseconds(), w.step().Microseconds())
}

func floorToSQL(micros string, offset, step int64) string {
	into := micros
	if offset != 0 {
		into = fmt.Sprintf("(%s - %d)", micros, offset)
	}
	return fmt.Sprintf("%s - ((%s %% %d + %d) %% %d)", micros, into, step, step, step)
}

func (w Window) tumblingSQL(rows string) string {
	start := w.floorSQL("epoch_us(event_time)")
	return fmt.Sprintf("SELECT %s, *\n%s", windowSQL(start, fmt.Sprintf("%s + %d", start, w.Size.Microseconds())), rows)
}
