package duck

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Format is how a query's result is written.
type Format string

// The formats. CSV is RFC 4180 with a header and plain line feeds; a NULL is
// an empty field and an empty text is "". JSON is one object a line. Arrow is
// an IPC stream.
const (
	FormatTable   Format = "table"
	FormatCSV     Format = "csv"
	FormatJSON    Format = "json"
	FormatParquet Format = "parquet"
	FormatArrow   Format = "arrow"
)

var formats = []Format{FormatTable, FormatCSV, FormatJSON, FormatParquet, FormatArrow}

// ParseFormat reads a format's name.
func ParseFormat(s string) (Format, error) {
	for _, f := range formats {
		if string(f) == s {
			return f, nil
		}
	}
	names := joined(formats, func(f Format) string { return string(f) })
	return "", fmt.Errorf("format %q: want one of %s", s, names)
}

// Write runs a person's SELECT and writes what it returns to w. Nothing is
// written before the query has run to its end. Exact values stay exact in all
// formats: integers, decimals and timestamps lose nothing.
func (s *Session) Write(ctx context.Context, sql string, f Format, w io.Writer) (err error) {
	if f == FormatParquet {
		return s.writeParquet(ctx, sql, w)
	}
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return WriteRows(ctx, rows, f, w)
}

// WriteRows writes all rows, none of which was read yet, in any format but Parquet.
func WriteRows(ctx context.Context, rows *Rows, f Format, w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	var err error
	switch f {
	case FormatTable:
		err = writeTable(ctx, rows, b)
	case FormatCSV:
		err = writeCSV(ctx, rows, b)
	case FormatJSON:
		err = writeJSON(ctx, rows, b)
	case FormatArrow:
		err = writeArrow(ctx, rows, b)
	default:
		return fmt.Errorf("rows can't be written as %q", f)
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("write result as %s: %w", f, err)
	}
	return nil
}

// each calls write with every row that is left.
func (r *Rows) each(ctx context.Context, write func([]any) error) error {
	row := make([]any, len(r.outputs))
	for {
		values, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, v := range values {
			row[i] = v
		}
		if err := write(row); err != nil {
			return err
		}
	}
}

func writeCSV(ctx context.Context, rows *Rows, b *bufio.Writer) error {
	if err := csvRecord(b, rows.Columns()); err != nil {
		return err
	}
	fields := make([]string, len(rows.outputs))
	return rows.each(ctx, func(row []any) error {
		for i, v := range row {
			fields[i] = ""
			if v != nil {
				fields[i] = csvField(rows.outputs[i].shape.text(v))
			}
		}
		return csvLine(b, fields)
	})
}

func csvRecord(b *bufio.Writer, texts []string) error {
	fields := make([]string, len(texts))
	for i, text := range texts {
		fields[i] = csvField(text)
	}
	return csvLine(b, fields)
}

func csvLine(b *bufio.Writer, fields []string) error {
	_, err := b.WriteString(strings.Join(fields, ",") + "\n")
	return err
}

// csvField quotes a text where it must be, or where it would read as a NULL.
func csvField(text string) string {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") && text[0] != ' ' && text[len(text)-1] != ' ' {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
