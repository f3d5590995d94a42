package datafile

import "fmt"

// maxColumns is how many columns a file may have.
const maxColumns = 10_000

// Write makes path a Parquet file of the columns cols, in that order, whose
// values are data[c][r]. rowGroups are the
// exclusive end rows of the row groups, ascending, the last one being the
// number of rows; none at all means one group. Like Writer.Close, it waits for no disk.
// Equal input gives equal bytes. On an error nothing is left at path.
func Write(path string, cols []Column, data [][]Value, rowGroups []int) (Written, error) {
	ends, err := checkShape(cols, data, rowGroups)
	if err != nil {
		return Written{}, fmt.Errorf("write data file %s: %w", path, err)
	}
	w, err := Create(path, cols, Lasting)
	if err != nil {
		return Written{}, err
	}
	defer w.Abort()
	vectors, start := NewVectors(cols), 0
	for _, end := range ends {
		if err := fill(vectors, cols, data, start, end); err != nil {
			return Written{}, w.wrap(err)
		}
		if err := w.Group(vectors); err != nil {
			return Written{}, err
		}
		start = end
	}
	return w.Close()
}

// fill makes the rows [start, end) of data those of the vectors.
func fill(vectors []*Vector, cols []Column, data [][]Value, start, end int) error {
	for c, v := range vectors {
		v.Reset()
		for _, x := range data[c][start:end] {
			if err := v.Append(x); err != nil {
				return fmt.Errorf("column %q: %w", cols[c].Name, err)
			}
		}
	}
	return nil
}

// checkShape refuses what Write could not make a file of, and returns the ends
// of the row groups.
func checkShape(cols []Column, data [][]Value, rowGroups []int) (ends []int, err error) {
	if len(data) != len(cols) {
		return nil, fmt.Errorf("%d columns of data for %d declared columns (want the same number)", len(data), len(cols))
	}
	if err := checkColumns(cols); err != nil {
		return nil, err
	}
	rows := len(data[0])
	for i, c := range cols {
		if len(data[i]) != rows {
			return nil, fmt.Errorf("column %q has %d rows where %q has %d", c.Name, len(data[i]), cols[0].Name, rows)
		}
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

// checkColumns refuses columns that no file can have.
func checkColumns(cols []Column) error {
	if len(cols) == 0 || len(cols) > maxColumns {
		return fmt.Errorf("%d columns are declared (want from 1 to %d)", len(cols), maxColumns)
	}
	names := make(map[string]bool, len(cols))
	for i, c := range cols {
		switch {
		case c.Name == "" || names[c.Name]:
			return fmt.Errorf("column %d has the name %q, which is empty or taken", i+1, c.Name)
		case c.Type.Kind == Invalid || int(c.Type.Kind) >= len(kindNames):
			return fmt.Errorf("column %q has no type", c.Name)
		}
		names[c.Name] = true
	}
	return nil
}

// checkVectors wants a vector for each column, all of as many rows.
func checkVectors(cols []Column, vectors []*Vector) error {
	if len(vectors) != len(cols) {
		return fmt.Errorf("%d columns of data for %d declared columns (want the same number)", len(vectors), len(cols))
	}
	for i, v := range vectors {
		if v.typ != cols[i].Type || v.Len() != vectors[0].Len() {
			return fmt.Errorf("column %q has %d rows of %s, want %d of %s", cols[i].Name, v.Len(), v.typ, vectors[0].Len(), cols[i].Type)
		}
	}
	return nil
}
