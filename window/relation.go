package window

import (
	"context"
	"fmt"
	"strings"

	"strandline/internal/duck"
	"strandline/landing"
)

// inputView is the relation below the one that the job sees: all rows of the
// segments. No stream is called so, since its name has a space.
const inputView = "landed rows"

// relate gives the session the relation that the job's SQL reads for a partition: the
// stream's rows below upTo, deduplicated, with their windows.
func (c *Compiled) relate(ctx context.Context, session *duck.Session, p Interval, upTo landing.Position, files []duck.InputFile) error {
	if err := session.InputView(ctx, inputView, files, c.stream.Columns); err != nil {
		return err
	}
	return session.Exec(ctx, fmt.Sprintf("CREATE TEMP VIEW %s AS\n%s", duck.Ident(c.From), c.Window.sql(c.rowsSQL(p, upTo))))
}

// rowsSQL is the rest of a SELECT of the rows that count for a partition.
func (c *Compiled) rowsSQL(p Interval, upTo landing.Position) string {
	counts := c.counts(p.span())
	return fmt.Sprintf(`FROM %s
WHERE event_time >= make_timestamptz(%d) AND event_time < make_timestamptz(%d) AND %s < %d%s`,
		duck.Ident(inputView), counts.from, counts.to, landing.ColumnPosition, upTo, c.dedupSQL())
}

// dedupSQL keeps the first or last row of each business key, by position,
// which is unique, so that there are no ties. A row with a NULL in its key has
// no identity and stays.
func (c *Compiled) dedupSQL() string {
	if c.Dedup == nil {
		return ""
	}
	var keys, nulls []string
	for _, k := range c.Dedup.Key {
		keys = append(keys, duck.Ident(k))
		nulls = append(nulls, duck.Ident(k)+" IS NULL")
	}
	order := "ASC"
	if c.Dedup.Keep == KeepLast {
		order = "DESC"
	}
	return fmt.Sprintf("\nQUALIFY %s OR row_number() OVER (PARTITION BY %s ORDER BY %s %s) = 1",
		strings.Join(nulls, " OR "), strings.Join(keys, ", "), landing.ColumnPosition, order)
}
