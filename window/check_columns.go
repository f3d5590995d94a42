package window

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/duck"
)

// NotNull wants a value in each of the columns of every row.
type NotNull struct{ Columns []string }

func (r NotNull) String() string { return "not_null of " + strings.Join(r.Columns, ", ") }

func (r NotNull) fits(_ context.Context, made exam) error { return made.has(r.Columns) }

func (r NotNull) broken(ctx context.Context, made exam) (string, error) {
	var nulls []string
	for _, name := range r.Columns {
		nulls = append(nulls, duck.Ident(name)+" IS NULL")
	}
	shown, rows, err := made.rowsWhere(ctx, strings.Join(nulls, " OR "), r.Columns...)
	if err != nil || rows == 0 {
		return "", err
	}
	return fmt.Sprintf("%s with a NULL in %s, %s", counted(rows), strings.Join(r.Columns, " or "), shown), nil
}

// Unique wants no two rows of a partition to have the same values in all of the
// columns. A row with a NULL in one of them is like no other.
type Unique struct{ Columns []string }

func (r Unique) String() string { return "unique of " + strings.Join(r.Columns, ", ") }

func (r Unique) fits(_ context.Context, made exam) error { return made.has(r.Columns) }

func (r Unique) broken(ctx context.Context, made exam) (string, error) {
	var values []string
	for _, name := range r.Columns {
		values = append(values, duck.Ident(name)+" IS NOT NULL")
	}
	shown, groups, err := made.find(ctx, fmt.Sprintf("SELECT %[1]s, count(*) AS rows FROM %[2]s WHERE %[3]s GROUP BY %[1]s HAVING count(*) > 1 ORDER BY %[1]s",
		idents(r.Columns), duck.Ident(made.job.Name), strings.Join(values, " AND ")))
	if err != nil || groups == 0 {
		return "", err
	}
	what := "value is"
	if groups > 1 {
		what = "values are"
	}
	return fmt.Sprintf("%d %s there more than once, %s", groups, what, shown), nil
}

// Accepted wants every value of a column, but for NULL, to be one of these,
// which are written as in a CSV file.
type Accepted struct {
	Column string
	Values []string
}

func (r Accepted) String() string { return "accepted values of " + r.Column }

func (r Accepted) fits(_ context.Context, made exam) error {
	column, err := made.column(r.Column)
	if err != nil {
		return err
	}
	if k := column.Type.Kind; k == datafile.JSON || k == datafile.Blob {
		return fmt.Errorf("column %s is a %s, which can be written in more than one way: write the check as sql", r.Column, column.Type)
	}
	var problems []error
	for _, text := range r.Values {
		if _, err := datafile.ParseText(column.Type, []byte(text)); err != nil {
			problems = append(problems, fmt.Errorf("column %s can't hold it: %w", r.Column, err))
		}
	}
	return errors.Join(problems...)
}

func (r Accepted) broken(ctx context.Context, made exam) (string, error) {
	column, err := made.column(r.Column)
	if err != nil {
		return "", err
	}
	var values []string
	for _, text := range r.Values {
		values = append(values, literal(text, column.Type))
	}
	shown, rows, err := made.rowsWhere(ctx, fmt.Sprintf("%s NOT IN (%s)", duck.Ident(r.Column), strings.Join(values, ", ")), r.Column)
	if err != nil || rows == 0 {
		return "", err
	}
	return fmt.Sprintf("%s with another value than %s, %s", counted(rows), r.listed(), shown), nil
}

// listed names the accepted values, or some of many.
func (r Accepted) listed() string {
	const most = 10
	values := slices.Clone(r.Values)
	if len(values) > most {
		values = append(values[:most], fmt.Sprintf("… (%d in all)", len(values)))
	}
	return strings.Join(values, ", ")
}

// literal is a text as a value of a type that it is written for.
func literal(text string, t datafile.Type) string {
	return fmt.Sprintf("CAST(%s AS %s)", duck.Literal(text), t)
}

func counted(rows int64) string {
	if rows == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", rows)
}
