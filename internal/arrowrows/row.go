package arrowrows

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"strandline/internal/jsonrow"
)

// writing writes rows as JSON.
type writing struct {
	limit   int           // bytes of a row
	texts   jsonrow.Paths // where bytes are texts
	path    []string      // of the value that is being written
	json    []byte
	text    []byte // scratch for the keys of maps
	problem error  // why the row is none
}

// inList stands in a path for what is in a list or a map: no place in a row leads there.
const inList = "\x00"

// row writes one row of a batch.
func (w *writing) row(batch arrow.RecordBatch, i int) jsonrow.Row {
	w.json, w.path, w.problem = append(w.json[:0], '{'), w.path[:0], nil
	for c := range int(batch.NumCols()) {
		w.member(batch.Schema().Field(c), batch.Column(c), i)
		if len(w.json) > w.limit {
			return jsonrow.Row{JSON: w.json, Problem: jsonrow.ErrLong}
		}
	}
	w.json = append(w.json, '}')
	return jsonrow.Row{JSON: w.json, Problem: w.problem}
}

// member appends the value of a column, or of a field of a struct, with its name.
func (w *writing) member(field arrow.Field, values arrow.Array, i int) {
	w.json, w.path = jsonrow.Name(w.json, field.Name), append(w.path, field.Name)
	w.value(field, values, i)
	w.path = w.path[:len(w.path)-1]
}

// fail keeps the first reason why the row is none.
func (w *writing) fail(err error) {
	if err != nil && w.problem == nil {
		w.problem = fmt.Errorf("column %s: %w", w.path[0], err)
	}
}

// value appends the value at i of a field, whose metadata may tell more of its type.
// Nothing more is appended past the limit.
func (w *writing) value(field arrow.Field, values arrow.Array, i int) {
	if len(w.json) > w.limit {
		return
	}
	if values.IsNull(i) || values.DataType().ID() == arrow.NULL {
		w.json = jsonrow.Null(w.json)
		return
	}
	switch a := values.(type) {
	case *array.Dictionary:
		w.value(field, a.Dictionary(), a.GetValueIndex(i))
	case *array.Map:
		w.dictionary(a, i)
	case array.ListLike:
		w.list(a, i)
	case *array.Struct:
		w.object(a, i)
	case *array.SparseUnion:
		w.value(branch(a, i), a.Field(a.ChildID(i)), i)
	case *array.DenseUnion:
		w.value(branch(a, i), a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	case *array.RunEndEncoded:
		w.value(field, a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		w.value(field, a.Storage(), i)
	default:
		if !w.extension(field, values, i) {
			w.scalar(values, i)
		}
	}
}

// What the metadata of a field calls a type that its own type does not tell.
const (
	extensionName = "ARROW:extension:name"
	extensionUUID = "arrow.uuid"
	extensionJSON = "arrow.json"
)

// extension appends a value whose type only its field's metadata tells, if it is of one
// of those that Parquet has an annotation for.
func (w *writing) extension(field arrow.Field, values arrow.Array, i int) bool {
	name, _ := field.Metadata.GetValue(extensionName)
	switch a := values.(type) {
	case *array.FixedSizeBinary:
		if name == extensionUUID && len(a.Value(i)) == 16 {
			w.json = jsonrow.UUID(w.json, a.Value(i))
			return true
		}
	case interface{ Value(int) string }: // String, LargeString, StringView
		if name == extensionJSON {
			var err error
			w.json, err = jsonrow.Document(w.json, []byte(w.upTo(a.Value(i))))
			w.fail(err)
			return true
		}
	}
	return false
}

// branch returns the field of a union that the value at i is of.
func branch(a array.Union, i int) arrow.Field { return a.UnionType().Fields()[a.ChildID(i)] }

// upTo cuts a value that is longer than a row may be, so that it is not copied: a row
// that has what is left of it is too long all the same.
func (w *writing) upTo(value string) string { return value[:min(len(value), w.limit+1)] }

func (w *writing) bytes(value []byte) {
	value = value[:min(len(value), w.limit+1)]
	if !w.texts.Has(w.path) {
		w.json = jsonrow.Binary(w.json, value)
		return
	}
	var err error
	w.json, err = jsonrow.BytesAsText(w.json, value)
	w.fail(err)
}

func (w *writing) list(a array.ListLike, i int) {
	element := a.DataType().(arrow.ListLikeType).ElemField()
	from, to := a.ValueOffsets(i)
	w.json, w.path = append(w.json, '['), append(w.path, inList)
	for j := from; j < to && len(w.json) <= w.limit; j++ {
		if j > from {
			w.json = append(w.json, ',')
		}
		w.value(element, a.ListValues(), int(j))
	}
	w.json, w.path = append(w.json, ']'), w.path[:len(w.path)-1]
}

func (w *writing) object(a *array.Struct, i int) {
	w.json = append(w.json, '{')
	for c, field := range a.DataType().(*arrow.StructType).Fields() {
		w.member(field, a.Field(c), i)
	}
	w.json = append(w.json, '}')
}

// dictionary writes a map as an object, whose names are the texts of the keys.
func (w *writing) dictionary(a *array.Map, i int) {
	of := a.DataType().(*arrow.MapType)
	from, to := a.ValueOffsets(i)
	w.json, w.path = append(w.json, '{'), append(w.path, inList)
	for j := from; j < to && len(w.json) <= w.limit; j++ {
		if j > from {
			w.json = append(w.json, ',')
		}
		key := len(w.json)
		w.value(of.KeyField(), a.Keys(), int(j))
		if w.json[key] != '"' {
			w.text = append(w.text[:0], w.json[key:]...)
			w.json = jsonrow.Text(w.json[:key], w.text)
		}
		w.json = append(w.json, ':')
		w.value(of.ItemField(), a.Items(), int(j))
	}
	w.json, w.path = append(w.json, '}'), w.path[:len(w.path)-1]
}
