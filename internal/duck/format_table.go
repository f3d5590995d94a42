package duck

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// writeTable reads the rows twice, first for the widths of the columns.
func writeTable(ctx context.Context, rows *Rows, b *bufio.Writer) error {
	names := rows.Columns()
	widths := make([]int, len(names))
	for i, name := range names {
		names[i] = printable(name)
		widths[i] = uniseg.StringWidth(names[i])
	}
	err := rows.each(ctx, func(row []any) error {
		for i, v := range row {
			widths[i] = max(widths[i], uniseg.StringWidth(rows.outputs[i].cell(v)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := rows.Rewind(); err != nil {
		return err
	}
	right := make([]bool, len(names))
	rules := make([]string, len(names))
	for i, out := range rows.outputs {
		right[i] = out.shape.number()
		rules[i] = strings.Repeat("─", widths[i])
	}
	cells := make([]string, len(names))
	line := func(cells []string) error { return tableLine(b, cells, widths, right) }
	if err := line(names); err != nil {
		return err
	}
	if err := line(rules); err != nil {
		return err
	}
	err = rows.each(ctx, func(row []any) error {
		for i, v := range row {
			cells[i] = rows.outputs[i].cell(v)
		}
		return line(cells)
	})
	if err != nil {
		return err
	}
	return tableCount(b, rows.total)
}

func tableCount(b *bufio.Writer, n int64) error {
	noun := "rows"
	if n == 1 {
		noun = "row"
	}
	_, err := fmt.Fprintf(b, "(%d %s)\n", n, noun)
	return err
}

// tableLine writes cells padded to their columns, two spaces apart.
func tableLine(b *bufio.Writer, cells []string, widths []int, right []bool) error {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		pad := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell))
		if right[i] {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	_, err := b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	return err
}

// cell is a value in a table. A text NULL looks like a NULL; other formats
// tell them apart.
func (o output) cell(v any) string {
	if v == nil {
		return "NULL"
	}
	return printable(o.shape.text(v))
}

// printable keeps a text on its line: control characters are written as \n,
// \t or \x1b are in Go.
func printable(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// number tells whether values line up at their right.
func (s shape) number() bool {
	switch s.kind {
	case duckdb.TYPE_TINYINT, duckdb.TYPE_SMALLINT, duckdb.TYPE_INTEGER, duckdb.TYPE_BIGINT, duckdb.TYPE_UTINYINT,
		duckdb.TYPE_USMALLINT, duckdb.TYPE_UINTEGER, duckdb.TYPE_UBIGINT, duckdb.TYPE_HUGEINT, duckdb.TYPE_UHUGEINT,
		duckdb.TYPE_FLOAT, duckdb.TYPE_DOUBLE, duckdb.TYPE_DECIMAL, duckdb.TYPE_BIGNUM:
		return true
	}
	return false
}
