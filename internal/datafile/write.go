package datafile

import (
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

// maxColumns is how many columns a file may have.
const maxColumns = 10_000

// Write makes path a Parquet file of the columns cols, in that order, whose
// values are data[c][r], and returns its size in bytes. rowGroups are the
// exclusive end rows of the row groups, ascending, the last one being the
// number of rows; none at all means one group. The file is on disk (fsync) when
// Write returns, though its name in the folder may not be. Equal input gives
// equal bytes. On an error nothing is left at path.
func Write(path string, cols []Column, data [][]Value, rowGroups []int) (bytes int64, err error) {
	ends, err := checkShape(cols, data, rowGroups)
	if err != nil {
		return 0, fmt.Errorf("write data file %s: %w", path, err)
	}
	w, err := Create(path, cols)
	if err != nil {
		return 0, err
	}
	defer w.Abort()
	w.begin(data)
	start := 0
	for _, end := range ends {
		if err := w.group(data, start, end); err != nil {
			return 0, err
		}
		start = end
	}
	return w.Close()
}

func newWriter(f *os.File, cols []Column, data [][]Value) *parquet.GenericWriter[any] {
	root := &group{Node: parquet.Group{}, fields: make([]parquet.Field, len(cols))}
	options := []parquet.WriterOption{
		parquet.Compression(codec{}),
		parquet.CreatedBy("strandline", "1", "parquet-go"),
		parquet.DataPageStatistics(false), // the page index and the footer have them
	}
	for i, c := range cols {
		node := parquet.Encoded(leaf(c.Type), encodingFor(c.Type, data[i]))
		root.fields[i] = &field{Node: parquet.Optional(node), name: c.Name}
		if c.Type.Kind == Decimal && physical(c.Type) == parquet.FixedLenByteArray {
			// parquet-go would order these bytes without regard to the sign.
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	return parquet.NewGenericWriter[any](f, append(options, parquet.NewSchema("row", root))...)
}

// writeColumn hands values over in pieces, each with the levels that an
// optional column of a flat schema has, so that data stays as the caller left it.
func writeColumn(w *parquet.ColumnWriter, index int, t Type, values []Value) error {
	var piece [1024]Value
	want := physical(t)
	for len(values) > 0 {
		n := copy(piece[:], values)
		for i := range piece[:n] {
			v := &piece[i]
			if v.IsNull() {
				*v = v.Level(0, 0, index)
				continue
			}
			if v.Kind() != want || want == parquet.FixedLenByteArray && len(v.ByteArray()) != 16 {
				return fmt.Errorf("holds a value of kind %s where %s is kept as %s", v.Kind(), t, want)
			}
			*v = v.Level(0, 1, index)
		}
		if _, err := w.WriteRowValues(piece[:n]); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// checkShape refuses what Write could not make a file of, and returns the ends
// of the row groups.
func checkShape(cols []Column, data [][]Value, rowGroups []int) (ends []int, err error) {
	if len(cols) == 0 || len(cols) > maxColumns || len(data) != len(cols) {
		return nil, fmt.Errorf("%d columns of data for %d declared columns (want the same number, from 1 to %d)", len(data), len(cols), maxColumns)
	}
	names := make(map[string]bool, len(cols))
	rows := len(data[0])
	for i, c := range cols {
		switch {
		case c.Name == "" || names[c.Name]:
			return nil, fmt.Errorf("column %d has the name %q, which is empty or taken", i+1, c.Name)
		case c.Type.Kind == Invalid || int(c.Type.Kind) >= len(kindNames):
			return nil, fmt.Errorf("column %q has no type", c.Name)
		case len(data[i]) != rows:
			return nil, fmt.Errorf("column %q has %d rows where %q has %d", c.Name, len(data[i]), cols[0].Name, rows)
		}
		names[c.Name] = true
	}
	if len(rowGroups) == 0 {
		return []int{rows}, nil
	}
	start := 0
	for _, end := range rowGroups {
		if end < start {
			return nil, fmt.Errorf("row groups end at %v, which is not ascending", rowGroups)
		}
		start = end
	}
	if start != rows {
		return nil, fmt.Errorf("row groups end at row %d of %d", start, rows)
	}
	return rowGroups, nil
}
