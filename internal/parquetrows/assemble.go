package parquetrows

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/jsonrow"
)

// assembly puts the values of one row together again. Parquet keeps the values of
// each leaf apart, each with two levels: from which repeated field on it repeats,
// and how many of the optional and repeated fields that lead to it are there.
type assembly struct {
	limit  int               // bytes of a row
	values [][]parquet.Value // of each leaf, those not yet used
	json   []byte
	text   []byte // scratch for the keys of maps
	column string // that is being written
	// problem is why the row is none. What is returned as an error ends the row.
	problem error
}

func newAssembly(leaves, limit int) *assembly {
	return &assembly{limit: limit, values: make([][]parquet.Value, leaves)}
}

var errLevels = fmt.Errorf("%w: the values of a nested column don't fit together", jsonrow.ErrDamaged)

// row writes the row into out. An error is of the file.
func (a *assembly) row(columns []*node, row parquet.Row, out *jsonrow.Row) error {
	clear(a.values)
	row.Range(func(leaf int, values []parquet.Value) bool {
		a.values[leaf] = values
		return true
	})
	a.problem, a.json = nil, append(a.json[:0], '{')
	for _, c := range columns {
		a.column, a.json = c.name, jsonrow.Name(a.json, c.name)
		if err := a.write(c); errors.Is(err, jsonrow.ErrLong) {
			out.JSON, out.Problem = a.json, err
			return nil
		} else if err != nil {
			return err
		}
	}
	for _, left := range a.values {
		if len(left) > 0 {
			return errLevels
		}
	}
	a.json = append(a.json, '}')
	out.JSON, out.Problem = a.json, a.problem
	return nil
}

// next returns the next value of a leaf.
func (a *assembly) next(leaf int) (parquet.Value, error) {
	if len(a.values[leaf]) == 0 {
		return parquet.Value{}, errLevels
	}
	return a.values[leaf][0], nil
}

// skip passes over the one value that every leaf under n has where n has none.
func (a *assembly) skip(n *node) error {
	for leaf := n.leaf; leaf < n.end; leaf++ {
		if _, err := a.next(leaf); err != nil {
			return err
		}
		a.values[leaf] = a.values[leaf][1:]
	}
	return nil
}

// write appends the next value of n.
func (a *assembly) write(n *node) error {
	if len(a.json) > a.limit {
		return jsonrow.ErrLong
	}
	v, err := a.next(n.leaf)
	if err != nil {
		return err
	}
	if n.optional && v.DefinitionLevel() < n.def {
		a.json = jsonrow.Null(a.json)
		if err := a.skip(n); err != nil || !a.goesOn(n) {
			return err
		}
		return fmt.Errorf("%w: column %q has entries where it is NULL, as DuckDB writes an array of a fixed size (cast it to a list there, such as INTEGER[], and write the file again)",
			jsonrow.ErrUnsupported, a.column)
	}
	switch n.shape {
	case object:
		return a.object(n)
	case array:
		return a.array(n, v)
	case dictionary:
		return a.dictionary(n, v)
	default:
		a.values[n.leaf] = a.values[n.leaf][1:]
		return a.scalar(n, v)
	}
}

// goesOn tells whether an array that is NULL has more entries all the same, which are NULL
// as it is.
func (a *assembly) goesOn(n *node) bool {
	left := a.values[n.leaf]
	return n.shape == array && len(left) > 0 && left[0].RepetitionLevel() >= n.entryRep && left[0].DefinitionLevel() < n.def
}

func (a *assembly) scalar(n *node, v parquet.Value) (problem error) {
	if kind := v.Kind(); kind == parquet.ByteArray || kind == parquet.FixedLenByteArray {
		if long := v.ByteArray(); len(long) > a.limit { // no more of it is copied than shows that
			a.json, _ = n.write(a.json, parquet.ByteArrayValue(long[:a.limit+1]))
			return jsonrow.ErrLong
		}
	}
	if a.json, problem = n.write(a.json, v); problem != nil && a.problem == nil {
		a.problem = fmt.Errorf("column %s: %w", a.column, problem)
	}
	return nil
}

func (a *assembly) object(n *node) error {
	a.json = append(a.json, '{')
	for _, child := range n.children {
		a.json = jsonrow.Name(a.json, child.name)
		if err := a.write(child); err != nil {
			return err
		}
	}
	a.json = append(a.json, '}')
	return nil
}

func (a *assembly) array(n *node, first parquet.Value) error {
	a.json = append(a.json, '[')
	err := a.each(n, first, func() error { return a.write(n.children[0]) })
	a.json = append(a.json, ']')
	return err
}

// dictionary writes a map as an object, whose names are the texts of the keys.
func (a *assembly) dictionary(n *node, first parquet.Value) error {
	key, value := n.children[0], n.children[1]
	a.json = append(a.json, '{')
	err := a.each(n, first, func() error {
		from := len(a.json)
		if err := a.write(key); err != nil {
			return err
		}
		if a.json[from] != '"' {
			a.text = append(a.text[:0], a.json[from:]...)
			a.json = jsonrow.Text(a.json[:from], a.text)
		}
		a.json = append(a.json, ':')
		return a.write(value)
	})
	a.json = append(a.json, '}')
	return err
}

// each calls entry for every entry of n, with commas between.
func (a *assembly) each(n *node, first parquet.Value, entry func() error) error {
	if first.DefinitionLevel() < n.entryDef {
		return a.skip(n)
	}
	for {
		if err := entry(); err != nil {
			return err
		}
		left := a.values[n.leaf]
		if len(left) == 0 || left[0].RepetitionLevel() < n.entryRep {
			return nil
		}
		if left[0].RepetitionLevel() > n.entryRep {
			return errLevels
		}
		a.json = append(a.json, ',')
	}
}
