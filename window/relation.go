package window

import (
	"context"
	"fmt"

	"strandline/internal/duck"
	"strandline/landing"
)

// inputView is the relation below the one that the job sees: all rows of the
// segments. No stream is called so, since its name has a space.
const inputView = "landed rows"

// relate gives the session the relation that the job's SQL reads for a partition: the
// stream's rows below upTo, deduplicated, with their windows. It returns how many
// rows dedup leaves out.
func (c *Compiled) relate(ctx context.Context, session *duck.Session, p Interval, upTo landing.Position, files []duck.InputFile) (repeated int64, err error) {
	if err := session.InputView(ctx, inputView, files, c.stream.Columns); err != nil {
		return 0, err
	}
	counts := c.counts(p.span())
	rows := landedSQL(counts, upTo)
	if c.Dedup != nil {
		if err := c.Dedup.findRepeats(ctx, session, landedSQL(c.reads(p.span()), upTo)); err != nil {
			return 0, err
		}
		rows += fmt.Sprintf(" AND %[1]s NOT IN (SELECT %[1]s FROM %[2]s)", landing.ColumnPosition, duck.Ident(repeats))
		if repeated, err = session.Count(ctx, fmt.Sprintf("%s WHERE %s", duck.Ident(repeats), counts.sql())); err != nil {
			return 0, err
		}
	}
	return repeated, session.Exec(ctx, fmt.Sprintf("CREATE TEMP VIEW %s AS\n%s", duck.Ident(c.From), c.Window.sql(rows, p.span())))
}

// landedSQL is the rest of a SELECT, from FROM on, of the landed rows of a span below
// upTo. More conditions may follow.
func landedSQL(s span, upTo landing.Position) string {
	return fmt.Sprintf("FROM %s\nWHERE %s AND %s < %d", duck.Ident(inputView), s.sql(), landing.ColumnPosition, upTo)
}

// sql is whether a row's event time is in the span.
func (s span) sql() string {
	return fmt.Sprintf("event_time >= make_timestamptz(%d) AND event_time < make_timestamptz(%d)", s.from, s.to)
}

// unique names the columns that tell a relation's rows apart.
func (w Window) unique() []string {
	if w.Kind == Hopping {
		return []string{landing.ColumnPosition, ColumnWindowStart}
	}
	return []string{landing.ColumnPosition}
}
