package duck

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// Peek runs a person's SELECT to its end and returns how many rows there are
// and the first few of them, most at the most, as a person reads them.
func (s *Session) Peek(ctx context.Context, sql string, most int) (first []string, total int64, err error) {
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for int64(len(first)) < min(rows.Len(), int64(most)) {
		row, err := rows.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		first = append(first, rows.line(row))
	}
	return first, rows.Len(), nil
}

// Count returns how many rows a SELECT of our own has, which from is the rest of,
// behind FROM.
func (s *Session) Count(ctx context.Context, from string) (int64, error) {
	row, err := s.row(ctx, "SELECT count(*) FROM "+from)
	if err != nil {
		return 0, err
	}
	n, ok := row[0].(int64)
	if !ok {
		return 0, fmt.Errorf("count rows: the engine returned %T, want a number", row[0])
	}
	return n, nil
}

// line writes a row on one line, as in a=1, b=NULL.
func (r *Rows) line(row []driver.Value) string {
	i := -1
	return joined(r.outputs, func(out output) string { i++; return printable(out.name) + "=" + brief(out.cell(row[i])) })
}

// briefRunes is how much of a long value is shown.
const briefRunes = 80

func brief(text string) string {
	if runes := []rune(text); len(runes) > briefRunes {
		return string(runes[:briefRunes]) + "…"
	}
	return text
}

// Bind finds out whether a person's SELECT could run here: whether all that it
// names exists and is of the right type. It reads no row.
func (s *Session) Bind(ctx context.Context, sql string) error {
	_, err := s.outputs(ctx, sql)
	return err
}
