package window

import (
	"context"
	"fmt"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/landing"
)

// rawView is the relation below the one that the job sees of an input: all rows of its
// files. Nothing is called so, since its name has a space.
func (in Input) rawView() string { return "rows of " + in.Name }

// relate gives the session the relations that the job's SQL reads for a partition: of
// each input the rows that count, deduplicated, with their windows, and the lookups. It
// returns how many rows dedup leaves out.
func (c *Compiled) relate(ctx context.Context, session *duck.Session, p Interval, files []fetched) (repeated int64, err error) {
	for i, in := range c.Inputs {
		if err := c.rawRows(ctx, session, i, files[i], c.shapes[i].columns(in)); err != nil {
			return 0, err
		}
		rows := in.rowsSQL(c.countsOf(in, p.span()), files[i].upTo)
		if c.Dedup != nil {
			if repeated, err = c.findRepeats(ctx, session, in, p.span(), files[i].upTo); err != nil {
				return 0, err
			}
			rows += fmt.Sprintf(" AND %[1]s NOT IN (SELECT %[1]s FROM %[2]s)", landing.ColumnPosition, duck.Ident(repeats))
		}
		if err := session.Exec(ctx, fmt.Sprintf("CREATE TEMP VIEW %s AS\n%s", duck.Ident(in.Name), c.Window.sql(rows, c.seesOf(in, p.span())))); err != nil {
			return 0, err
		}
	}
	return repeated, c.relateLookups(ctx, session)
}

// findRepeats finds the rows that dedup leaves out, and counts those that would count.
func (c *Compiled) findRepeats(ctx context.Context, session *duck.Session, in Input, p span, upTo landing.Position) (int64, error) {
	if err := c.Dedup.findRepeats(ctx, session, in.rowsSQL(c.readsOf(in, p), upTo)); err != nil {
		return 0, err
	}
	return session.Count(ctx, fmt.Sprintf("%s WHERE %s", duck.Ident(repeats), c.countsOf(in, p).sql()))
}

func (c *Compiled) relateLookups(ctx context.Context, session *duck.Session) error {
	for _, l := range c.Lookups {
		var paths []string
		if l.Path != "" {
			paths = []string{l.Path}
		}
		if err := session.TableView(ctx, l.Name, paths, l.Columns, nil); err != nil {
			return err
		}
	}
	return nil
}

// rawRows gives the session all rows of an input's files, with these of their columns
// beside those that all inputs have.
func (c *Compiled) rawRows(ctx context.Context, session *duck.Session, i int, files fetched, columns []datafile.Column) error {
	in := c.Inputs[i]
	if !in.Table {
		return session.InputView(ctx, in.rawView(), files.segments, columns)
	}
	renamed := map[string]string{landing.ColumnEventTime: c.shapes[i].Table.Time}
	columns = append([]datafile.Column{{Name: landing.ColumnEventTime, Type: datafile.Type{Kind: datafile.TimestampTZ}}}, columns...)
	return session.TableView(ctx, in.rawView(), files.paths, columns, renamed)
}

// rowsSQL is the rest of a SELECT, from FROM on, of the rows of a span: of a stream those
// below upTo. More conditions may follow.
func (in Input) rowsSQL(s span, upTo landing.Position) string {
	text := fmt.Sprintf("FROM %s\nWHERE %s", duck.Ident(in.rawView()), s.sql())
	if in.Table {
		return text
	}
	return fmt.Sprintf("%s AND %s < %d", text, landing.ColumnPosition, upTo)
}

// sql is whether a row's event time is in the span.
func (s span) sql() string {
	return fmt.Sprintf("event_time >= make_timestamptz(%d) AND event_time < make_timestamptz(%d)", s.from, s.to)
}

// unique names the columns that tell a relation's rows apart, of which some tell those of
// an input apart.
func (w Window) unique(apart []string) []string {
	if w.Kind == Hopping {
		return append(apart, ColumnWindowStart)
	}
	return apart
}
