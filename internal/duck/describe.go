package duck

import (
	"context"
	"errors"
	"fmt"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"strandline/internal/datafile"
)

// Describe returns the columns that a person's SELECT returns, in order, as
// they can be stored. It refuses types that Parquet would store as another
// type or that not every reader knows, and names that are not unique, and says
// what to write; all of them in one error.
func (s *Session) Describe(ctx context.Context, sql string) ([]datafile.Column, error) {
	outputs, err := s.outputs(ctx, sql)
	if err != nil {
		return nil, err
	}
	var problems []error
	columns := make([]datafile.Column, len(outputs))
	seen := map[string]string{}
	for i, out := range outputs {
		problems = append(problems, nameProblem(i, out.name, seen))
		t, instead := storable(out.shape)
		if instead != "" {
			problems = append(problems, fmt.Errorf("column %s has type %s, which can't be stored as it is: write %s AS %s", Ident(out.name), out.shape.sql, instead, Ident(out.name)))
		}
		columns[i] = datafile.Column{Name: out.name, Type: t}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return columns, nil
}

// output is one column that a statement returns.
type output struct {
	name  string
	shape shape
}

// outputs binds a person's SELECT and returns its columns.
func (s *Session) outputs(ctx context.Context, sql string) ([]output, error) {
	parsed, err := s.parse(ctx, sql)
	if err != nil {
		return nil, err
	}
	stmt, err := s.statement(ctx, parsed.Text)
	if err != nil {
		return nil, err
	}
	outputs, err := outputsOf(stmt)
	return outputs, errors.Join(err, stmt.Close())
}

func outputsOf(stmt *duckdb.Stmt) ([]output, error) {
	n, err := stmt.ColumnCount()
	if err != nil {
		return nil, fmt.Errorf("describe SQL: %w", err)
	}
	outputs := make([]output, n)
	for i := range outputs {
		if outputs[i].name, err = stmt.ColumnName(i); err != nil {
			return nil, fmt.Errorf("describe SQL: %w", err)
		}
		info, err := stmt.ColumnTypeInfo(i)
		if err != nil {
			outputs[i].shape = undescribed(stmt, i)
			continue
		}
		outputs[i].shape = shapeOf(info)
	}
	return outputs, nil
}

// undescribed is the shape of a type of which the driver knows no more than
// what it is, such as a struct without names. It is read as text.
func undescribed(stmt *duckdb.Stmt, i int) shape {
	s := shape{kind: duckdb.TYPE_VARIANT, sql: simpleNames[duckdb.TYPE_VARIANT]}
	if kind, err := stmt.ColumnType(i); err == nil && kind == duckdb.TYPE_STRUCT {
		s.sql = "STRUCT"
	}
	return s
}

func nameProblem(i int, name string, seen map[string]string) error {
	if name == "" {
		return fmt.Errorf("column %d has no name: add AS and a name", i+1)
	}
	first, twice := seen[fold(name)]
	if twice {
		return fmt.Errorf("columns %s and %s have the same name: rename one with AS", Ident(first), Ident(name))
	}
	seen[fold(name)] = name
	return nil
}
