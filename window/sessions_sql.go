package window

import (
	"fmt"
	"strings"
)

// sessionSQL puts each row into its session, and keeps those of the sessions that
// are seen.
func (w Window) sessionSQL(rows string, sees seen) string {
	by := ""
	if len(w.By) > 0 {
		by = "PARTITION BY " + idents(w.By)
	}
	keep, in := "\"\tfirst\"", sees.starting
	if sees.of.from < sees.of.to {
		keep, in = "\"\tt\"", sees.of
	}
	gap, longest := w.Gap.Microseconds(), w.Max.Microseconds()
	return fmt.Sprintf(strings.ReplaceAll(sessionTemplate, "~", "\t"),
		rows, by, gap, longest, floorToSQL("\"\tt\"", 0, longest), in.from, in.to, keep)
}

// sessionTemplate finds the runs: rows of which none comes a gap (3) or more after
// the one before it. A run that is longer than the longest session (4) is cut into
// pieces at its whole multiples, the last of which at or before a row is its cut (5).
//
// Of the rows that are read, the first and last runs may be cut short; none of their
// sessions is seen. What is made on the way has names with a tab
// for the ~, which no declared column has.
const sessionTemplate = `SELECT make_timestamptz("~first") AS window_start, make_timestamptz("~end") AS window_end,
  * EXCLUDE ("~t", "~cut", "~begin", "~stop", "~piece first", "~run first", "~run last", "~first", "~end")
FROM (
  SELECT *,
    if("~run last" - "~run first" > %[4]d, greatest("~piece first", "~run first"), "~run first") AS "~first",
    if("~run last" - "~run first" > %[4]d AND "~run last" >= "~cut" + %[4]d, "~cut" + %[4]d, "~run last" + %[3]d) AS "~end"
  FROM (
    SELECT *,
      max("~begin") OVER (%[2]s ORDER BY "~t" RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "~run first",
      min("~stop") OVER (%[2]s ORDER BY "~t" RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS "~run last"
    FROM (
      SELECT *,
        if(coalesce("~t" - lag("~t") OVER (%[2]s ORDER BY "~t") >= %[3]d, true), "~t", NULL) AS "~begin",
        if(coalesce(lead("~t") OVER (%[2]s ORDER BY "~t") - "~t" >= %[3]d, true), "~t", NULL) AS "~stop",
        first_value("~t") OVER (%[2]s ORDER BY "~t" RANGE BETWEEN "~t" - "~cut" PRECEDING AND CURRENT ROW) AS "~piece first"
      FROM (
        SELECT *, %[5]s AS "~cut"
        FROM (
          SELECT *, epoch_us(event_time) AS "~t"
          %[1]s
        )
      )
    )
  )
)
WHERE %[8]s >= %[6]d AND %[8]s < %[7]d`
