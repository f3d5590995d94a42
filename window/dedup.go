package window

import (
	"context"
	"fmt"
	"strings"
	"time"

	"strandline/internal/duck"
	"strandline/landing"
)

// Dedup says which rows are one event, and which of them counts. Rows with a NULL in
// the key have no identity and all count.
type Dedup struct {
	Key  []string
	Keep Keep
	// By is the column in whose order a row is the first or last of its key; where it
	// is equal, and where By is "", positions decide. NULL comes before all values.
	By string
	// Within is how far apart in event time rows of one key are one event: a row does
	// not count if there is one that Keep prefers at most so far away, which may itself
	// not count. It is whole microseconds. 0: rows of the same partition are one event.
	Within time.Duration
}

// Keep says which row of a key counts.
type Keep string

// The choices of Keep.
const (
	KeepFirst Keep = "first"
	KeepLast  Keep = "last"
)

// within is how far away rows may be that tell whether a row counts.
func (d *Dedup) within() time.Duration {
	if d == nil {
		return 0
	}
	return d.Within
}

// columns are those of the input that say which rows count.
func (d *Dedup) columns() []string {
	if d == nil {
		return nil
	}
	if d.By == "" {
		return d.Key
	}
	return append([]string{d.By}, d.Key...)
}

// repeats is the table of the rows that dedup leaves out, by position. No stream is
// called so, since its name has a space. It is made of the columns of the key alone,
// and few rows repeat others: to leave those out costs less than to sort all rows.
const repeats = "repeated rows"

// findRepeats makes that table of the rows that from tells of, which is the rest
// of a SELECT, up to its conditions.
func (d *Dedup) findRepeats(ctx context.Context, session *duck.Session, from string) error {
	return session.Exec(ctx, fmt.Sprintf("CREATE TEMP TABLE %s AS\nSELECT %s, event_time FROM (%s)\nQUALIFY %s",
		duck.Ident(repeats), landing.ColumnPosition, d.rankedSQL(from), d.repeatsSQL()))
}

// rankedSQL numbers the rows of each key in the order of By, from those that have an
// identity. The names that it makes have a tab, which no declared column has.
func (d *Dedup) rankedSQL(from string) string {
	rank := landing.ColumnPosition
	if d.By != "" {
		rank = fmt.Sprintf("row_number() OVER (PARTITION BY %s ORDER BY %s NULLS FIRST, %s)", idents(d.Key), duck.Ident(d.By), landing.ColumnPosition)
	}
	var known []string
	for _, k := range d.Key {
		known = append(known, duck.Ident(k)+" IS NOT NULL")
	}
	return fmt.Sprintf("SELECT *, %s AS \"\trank\"\n%s AND %s", rank, from, strings.Join(known, " AND "))
}

// repeatsSQL tells whether a row of its key is preferred to a row.
func (d *Dedup) repeatsSQL() string {
	best, than := "min", "<"
	if d.Keep == KeepLast {
		best, than = "max", ">"
	}
	frame := ""
	if d.Within != 0 {
		near := d.Within.Microseconds()
		frame = fmt.Sprintf(" ORDER BY epoch_us(event_time) RANGE BETWEEN %d PRECEDING AND %d FOLLOWING", near, near)
	}
	return fmt.Sprintf("%s(\"\trank\") OVER (PARTITION BY %s%s) %s \"\trank\"", best, idents(d.Key), frame, than)
}

// code lists the parts of a job's code that its dedup is.
func (d *Dedup) code() []Part {
	if d == nil {
		return nil
	}
	parts := []Part{{Name: "dedup key", Value: strings.Join(d.Key, ",")}, {Name: "dedup keep", Value: string(d.Keep)}}
	if d.By != "" {
		parts = append(parts, Part{Name: "dedup by", Value: d.By})
	}
	if d.Within != 0 {
		parts = append(parts, durationPart(partWithin, d.Within))
	}
	return parts
}
