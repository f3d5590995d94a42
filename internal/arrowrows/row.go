package arrowrows

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"strandline/internal/jsonrow"
)

// writing writes rows as JSON.
type writing struct {
	limit   int // bytes of a row
	json    []byte
	text    []byte // scratch for the keys of maps
	problem error  // why the row is none
}

// row writes one row of a batch.
func (w *writing) row(schema *arrow.Schema, batch arrow.RecordBatch, i int) jsonrow.Row {
	w.json, w.problem = append(w.json[:0], '{'), nil
	for c := range int(batch.NumCols()) {
		field := schema.Field(c)
		w.json = jsonrow.Name(w.json, field.Name)
		w.column(field, batch.Column(c), i)
		if len(w.json) > w.limit {
			return jsonrow.Row{JSON: w.json, Problem: jsonrow.ErrLong}
		}
	}
	w.json = append(w.json, '}')
	return jsonrow.Row{JSON: w.json, Problem: w.problem}
}

// column writes the value of a column, which may be of a type that only its field's
// metadata tells.
func (w *writing) column(field arrow.Field, values arrow.Array, i int) {
	at := field.Metadata.FindKey("ARROW:extension:name")
	if at < 0 || values.IsNull(i) {
		w.value(values, i)
		return
	}
	var err error
	switch stored := values.(type) {
	case *array.FixedSizeBinary:
		if field.Metadata.Values()[at] == "arrow.uuid" && len(stored.Value(i)) == 16 {
			w.json = jsonrow.UUID(w.json, stored.Value(i))
			return
		}
	case *array.String:
		if field.Metadata.Values()[at] == "arrow.json" {
			w.json, err = jsonrow.Document(w.json, []byte(stored.Value(i)))
			w.fail(field, err)
			return
		}
	}
	w.value(values, i)
}

func (w *writing) fail(field arrow.Field, err error) {
	if err != nil && w.problem == nil {
		w.problem = fmt.Errorf("column %s: %w", field.Name, err)
	}
}

// value appends the value at i. Nothing more is appended past the limit.
func (w *writing) value(values arrow.Array, i int) {
	if len(w.json) > w.limit {
		return
	}
	if values.IsNull(i) || values.DataType().ID() == arrow.NULL {
		w.json = jsonrow.Null(w.json)
		return
	}
	switch a := values.(type) {
	case *array.Dictionary:
		w.value(a.Dictionary(), a.GetValueIndex(i))
	case *array.Map:
		w.dictionary(a, i)
	case array.ListLike:
		w.list(a, i)
	case *array.Struct:
		w.object(a, i)
	case *array.SparseUnion:
		w.value(a.Field(a.ChildID(i)), i)
	case *array.DenseUnion:
		w.value(a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	case *array.RunEndEncoded:
		w.value(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		w.value(a.Storage(), i)
	default:
		w.scalar(values, i)
	}
}

func (w *writing) list(a array.ListLike, i int) {
	from, to := a.ValueOffsets(i)
	w.json = append(w.json, '[')
	for j := from; j < to && len(w.json) <= w.limit; j++ {
		if j > from {
			w.json = append(w.json, ',')
		}
		w.value(a.ListValues(), int(j))
	}
	w.json = append(w.json, ']')
}

func (w *writing) object(a *array.Struct, i int) {
	w.json = append(w.json, '{')
	for c, field := range a.DataType().(*arrow.StructType).Fields() {
		w.json = jsonrow.Name(w.json, field.Name)
		w.value(a.Field(c), i)
	}
	w.json = append(w.json, '}')
}

// dictionary writes a map as an object, whose names are the texts of the keys.
func (w *writing) dictionary(a *array.Map, i int) {
	from, to := a.ValueOffsets(i)
	w.json = append(w.json, '{')
	for j := from; j < to && len(w.json) <= w.limit; j++ {
		if j > from {
			w.json = append(w.json, ',')
		}
		key := len(w.json)
		w.value(a.Keys(), int(j))
		if w.json[key] != '"' {
			w.text = append(w.text[:0], w.json[key:]...)
			w.json = jsonrow.Text(w.json[:key], w.text)
		}
		w.json = append(w.json, ':')
		w.value(a.Items(), int(j))
	}
	w.json = append(w.json, '}')
}
