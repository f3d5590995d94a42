package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"strandline/internal/duck"
	"strandline/manifests"
	"strandline/window"
)

// comparison is how two sides of a partition are held against each other by
// the engine: columns in one order, the key first, under the names c0, c1 …
type comparison struct {
	columns     []string
	keys        int // how many of them are the key
	types       []string
	left, right []string // the columns' expressions over either side's files
}

// compare fills in how the published rows differ from those that
// were recomputed, in the files of either.
func (t *Task) compare(ctx context.Context, out *Reconciled, published, recomputed []string, limit int) error {
	session, err := t.lake.Engine.Session(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	var left, right []column
	if out.Receipt != nil {
		for _, c := range out.Receipt.Columns {
			left = append(left, column{c.Name, c.Type.String()})
		}
	}
	for _, c := range t.compiled.Columns {
		right = append(right, column{c.Name, c.Type.String()})
	}
	c := newComparison(t.Job().Key, left, right)
	err = c.load(ctx, session, published, recomputed)
	if err == nil {
		err = c.count(ctx, session, out.Receipt, &out.Counts)
	}
	if err == nil {
		out.Rows, err = c.rows(ctx, session, limit)
	}
	if err != nil && !errors.Is(err, window.ErrJob) {
		err = fmt.Errorf("%w: compare published rows with the recompute: %w", window.ErrResources, err)
	}
	return err
}

// column is a column of either side, its type as SQL spells it.
type column struct{ name, kind string }

func newComparison(key []string, left, right []column) comparison {
	all := slices.Clone(right)
	for _, c := range left {
		if find(all, c.name) < 0 {
			all = append(all, c)
		}
	}
	rank := func(c column) int {
		i := slices.IndexFunc(key, func(k string) bool { return strings.EqualFold(k, c.name) })
		if i < 0 {
			return len(key)
		}
		return i
	}
	slices.SortStableFunc(all, func(a, b column) int { return rank(a) - rank(b) })
	c := comparison{keys: len(key)}
	for _, one := range all {
		l, r := find(left, one.name), find(right, one.name)
		// What became another type is compared as text.
		text := l >= 0 && r >= 0 && left[l].kind != right[r].kind
		c.columns, c.types = append(c.columns, one.name), append(c.types, one.kind)
		c.left = append(c.left, side(one, l >= 0, text))
		c.right = append(c.right, side(one, r >= 0, text))
	}
	return c
}

func find(columns []column, name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

func side(c column, has, text bool) string {
	switch {
	case !has:
		return "NULL::" + c.kind
	case text:
		return "CAST(" + duck.Ident(c.name) + " AS VARCHAR)"
	}
	return duck.Ident(c.name)
}

// The relations of a comparison, of the session alone.
const (
	leftView    = `"published rows"`
	rightView   = `"recomputed rows"`
	differences = `"rows that differ"`
)

// load joins the two sides into a table of what differs. A key that the
// recompute makes twice is the job's fault, as it is when publishing.
func (c comparison) load(ctx context.Context, session *duck.Session, published, recomputed []string) error {
	for _, sql := range []string{c.view(leftView, c.left, published), c.view(rightView, c.right, recomputed)} {
		if err := session.Exec(ctx, sql); err != nil {
			return err
		}
	}
	twice, err := number(ctx, session, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s GROUP BY %s HAVING count(*) > 1)",
		rightView, c.each(c.keys, ", ", func(i int) string { return fmt.Sprintf("c%d", i) })))
	if err != nil {
		return err
	}
	if twice > 0 {
		return fmt.Errorf("%w: the recompute has %d keys more than once", window.ErrJob, twice)
	}
	return session.Exec(ctx, c.joinSQL())
}

func (c comparison) view(name string, side, paths []string) string {
	from := "FROM " + duck.ReadParquet(paths)
	if len(paths) == 0 {
		from, side = "WHERE false", nil
		for _, t := range c.types {
			side = append(side, "NULL::"+t)
		}
	}
	return fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT true AS here, %s %s", name,
		c.each(len(side), ", ", func(i int) string { return fmt.Sprintf("%s AS c%d", side[i], i) }), from)
}

func (c comparison) joinSQL() string {
	differs := func(i int) string { return fmt.Sprintf("l.c%[1]d IS DISTINCT FROM r.c%[1]d", i) }
	return fmt.Sprintf(`CREATE TEMP TABLE %s AS
SELECT CASE WHEN l.here IS NULL THEN 'only right' WHEN r.here IS NULL THEN 'only left' ELSE 'changed' END AS kind, %s, %s
FROM %s AS l FULL JOIN %s AS r ON %s
WHERE l.here IS NULL OR r.here IS NULL OR %s`,
		differences,
		c.each(c.keys, ", ", func(i int) string { return fmt.Sprintf("coalesce(l.c%[1]d, r.c%[1]d) AS k%[1]d", i) }),
		c.each(len(c.columns), ", ", func(i int) string {
			return fmt.Sprintf("CAST(l.c%[1]d AS VARCHAR) AS l%[1]d, CAST(r.c%[1]d AS VARCHAR) AS r%[1]d, %[2]s AS d%[1]d", i, differs(i))
		}),
		leftView, rightView,
		c.each(c.keys, " AND ", func(i int) string { return fmt.Sprintf("l.c%[1]d IS NOT DISTINCT FROM r.c%[1]d", i) }),
		c.each(len(c.columns), " OR ", differs))
}

// each writes something for each of the first n columns.
func (c comparison) each(n int, between string, write func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = write(i)
	}
	return strings.Join(parts, between)
}

func (c comparison) count(ctx context.Context, session *duck.Session, published *manifests.Receipt, counts *Counts) error {
	for kind, into := range map[string]*int64{"only left": &counts.OnlyLeft, "only right": &counts.OnlyRight, "changed": &counts.Changed} {
		var err error
		if *into, err = number(ctx, session, "SELECT count(*) FROM "+differences+" WHERE kind = "+duck.Literal(kind)); err != nil {
			return err
		}
	}
	left, err := number(ctx, session, "SELECT count(*) FROM "+leftView)
	if err != nil {
		return err
	}
	if published != nil && left != published.Rows {
		return fmt.Errorf("the published files hold %d rows, the receipt says %d: see strandline verify", left, published.Rows)
	}
	counts.Equal = left - counts.OnlyLeft - counts.Changed
	return nil
}

// number runs a query of one integer.
func number(ctx context.Context, session *duck.Session, sql string) (int64, error) {
	rows, err := session.Query(ctx, sql)
	if err != nil {
		return 0, err
	}
	row, err := rows.Next(ctx)
	if err != nil {
		return 0, errors.Join(err, rows.Close())
	}
	n, _ := row[0].(int64)
	return n, rows.Close()
}

// rows reads the first of the rows that differ.
func (c comparison) rows(ctx context.Context, session *duck.Session, limit int) (out []RowDifference, err error) {
	sql := fmt.Sprintf("SELECT kind, %s FROM %s ORDER BY %s LIMIT %d",
		c.each(len(c.columns), ", ", func(i int) string { return fmt.Sprintf("l%[1]d, r%[1]d, d%[1]d", i) }), differences,
		c.each(c.keys, ", ", func(i int) string { return fmt.Sprintf("k%d", i) }), limit)
	rows, err := session.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		kind, _ := row[0].(string)
		d := RowDifference{Kind: kind}
		for i, name := range c.columns {
			c.cell(&d, i < c.keys, name, row[1+3*i], row[2+3*i], row[3+3*i] == true)
		}
		out = append(out, d)
	}
}

// cell adds one column of a row that differs.
func (c comparison) cell(d *RowDifference, key bool, name string, left, right any, differs bool) {
	value := func(v any) Value {
		if text, ok := v.(string); ok {
			return Value{name, &text}
		}
		return Value{name, nil}
	}
	switch {
	case key && d.Kind == "only right":
		d.Key = append(d.Key, value(right))
	case key:
		d.Key = append(d.Key, value(left))
	case d.Kind == "only left":
		d.Left = append(d.Left, value(left))
	case d.Kind == "only right":
		d.Right = append(d.Right, value(right))
	case differs:
		d.Left, d.Right = append(d.Left, value(left)), append(d.Right, value(right))
	}
}
