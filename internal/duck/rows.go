package duck

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// Rows are the result of a query. It lies in a TEMP table of the session,
// which spills to disk, and is read a page at a time: the driver alone would
// hold all of a result in memory, whatever the limit.
type Rows struct {
	session *Session
	table   string
	outputs []output
	total   int64
	next    int64 // the number of the page's first row after the one being read
	page    driver.Rows
	values  []driver.Value
}

// pageRows is the engine's row group, so that a page is read alone.
const pageRows = 122_880

// Query runs a person's SELECT to its end. Cancelling ctx interrupts it. The
// rows must be closed before the session is.
func (s *Session) Query(ctx context.Context, sql string) (*Rows, error) {
	parsed, err := s.parse(ctx, sql)
	if err != nil {
		return nil, err
	}
	outputs, err := s.outputs(ctx, parsed.Text)
	if err != nil {
		return nil, err
	}
	s.results++
	r := &Rows{session: s, table: Ident("strandline result " + strconv.Itoa(s.results)), outputs: outputs}
	if err := s.execOne(ctx, "CREATE TEMP TABLE "+r.table+" AS "+selectAs(parsed, outputs, readable, numbered)); err != nil {
		return nil, err
	}
	count, err := s.row(ctx, "SELECT count(*) FROM "+r.table)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.total, _ = count[0].(int64)
	r.values = make([]driver.Value, len(outputs))
	for i := range r.outputs {
		r.outputs[i].shape = outputs[i].shape.replaced(readable)
	}
	return r, nil
}

// Columns returns the columns' names in order; they need not be unique.
func (r *Rows) Columns() []string {
	names := make([]string, len(r.outputs))
	for i, out := range r.outputs {
		names[i] = out.name
	}
	return names
}

// Len is the number of rows.
func (r *Rows) Len() int64 { return r.total }

// Next returns the next row's values, valid until the next call, or io.EOF.
// A value is nil, a bool, an integer or float of its width, *big.Int,
// duckdb.Decimal, string, []byte, time.Time, []any, map[string]any or
// duckdb.OrderedMap; types that Go has nothing for are text.
func (r *Rows) Next(ctx context.Context) ([]driver.Value, error) {
	for {
		if r.page == nil {
			if r.next >= r.total {
				return nil, io.EOF
			}
			if err := r.openPage(ctx); err != nil {
				return nil, fmt.Errorf("read result row %d: %w", r.next, err)
			}
		}
		err := r.page.Next(r.values)
		if err == nil {
			return r.values, nil
		}
		if err := errors.Join(notEOF(err), r.closePage()); err != nil {
			return nil, fmt.Errorf("read result: %w", err)
		}
	}
}

// Rewind goes back to before the first row.
func (r *Rows) Rewind() error {
	r.next = 0
	return r.closePage()
}

// Close drops the result.
func (r *Rows) Close() error {
	err := r.closePage()
	return errors.Join(err, r.session.Exec(context.Background(), "DROP TABLE IF EXISTS "+r.table))
}

func (r *Rows) openPage(ctx context.Context) error {
	sql := fmt.Sprintf("SELECT * FROM %s WHERE rowid >= %d AND rowid < %d", r.table, r.next, r.next+pageRows)
	page, err := r.session.conn.QueryContext(ctx, sql, nil)
	if err != nil {
		return explain(ctx, err)
	}
	r.page = page
	r.next += pageRows
	return nil
}

func (r *Rows) closePage() error {
	if r.page == nil {
		return nil
	}
	err := r.page.Close()
	r.page = nil
	return err
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readable is a type as rows can be read by the driver without loss: those it
// does not know, or would change (it parses JSON into floats), become text.
func readable(s shape) shape {
	switch s.kind {
	case duckdb.TYPE_UUID, duckdb.TYPE_BIT, duckdb.TYPE_INTERVAL, duckdb.TYPE_TIME, duckdb.TYPE_TIME_TZ,
		duckdb.TYPE_ENUM, duckdb.TYPE_UNION, duckdb.TYPE_VARIANT, duckdb.TYPE_GEOMETRY:
		s.kind, s.sql = duckdb.TYPE_VARCHAR, "VARCHAR"
	}
	if s.json {
		s.sql = "VARCHAR" // still known to be JSON
	}
	return s
}

// numbered names column i of a result, since names need not be unique.
func numbered(i int, _ output) string { return "c" + strconv.Itoa(i) }

// selectAs is a SELECT of all columns of a statement, each with its type
// replaced and a new name. It keeps the statement's order of rows.
func selectAs(st *Statement, outputs []output, replace func(shape) shape, name func(int, output) string) string {
	i := -1
	list := joined(outputs, func(out output) string {
		i++
		column := numbered(i, out)
		if to := out.shape.replaced(replace); to.sql != out.shape.sql {
			column = "CAST(" + column + " AS " + to.sql + ")"
		}
		return column + " AS " + Ident(name(i, out))
	})
	i = -1
	columns := joined(outputs, func(out output) string { i++; return numbered(i, out) })
	return "SELECT " + list + " FROM " + wrapped(st) + " AS result(" + columns + ")"
}
