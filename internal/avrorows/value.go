package avrorows

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/avro"

	"strandline/internal/jsonrow"
)

// writing writes rows as JSON.
type writing struct {
	schema  *avro.SchemaNode
	named   map[string]*avro.SchemaNode // the types that others refer to
	limit   int                         // bytes of a row
	texts   jsonrow.Paths               // where bytes are texts
	path    []string                    // of the value that is being written
	json    []byte
	problem error // why the row is none
}

// inList stands in a path for what is in a list: no place in a row leads there.
const inList = "\x00"

func newWriting(schema *avro.SchemaNode, limit int, texts jsonrow.Paths) *writing {
	w := &writing{schema: schema, named: map[string]*avro.SchemaNode{}, limit: limit, texts: texts}
	w.collect(schema)
	return w
}

// collect notes all named types within n.
func (w *writing) collect(n *avro.SchemaNode) {
	if n == nil {
		return
	}
	if n.Name != "" && (n.Type == "record" || n.Type == "error" || n.Type == "enum" || n.Type == "fixed") {
		w.named[fullName(n)] = n
	}
	for i := range n.Fields {
		w.collect(&n.Fields[i].Type)
	}
	for i := range n.Branches {
		w.collect(&n.Branches[i])
	}
	w.collect(n.Items)
	w.collect(n.Values)
}

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" || strings.Contains(n.Name, ".") {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

// row writes one record.
func (w *writing) row(v any) ([]byte, error) {
	w.json, w.path, w.problem = w.json[:0], w.path[:0], nil
	w.value(w.schema, v)
	if len(w.json) > w.limit {
		return w.json, jsonrow.ErrLong
	}
	return w.json, w.problem
}

// value appends a value of type n. Nothing more is appended past the limit.
func (w *writing) value(n *avro.SchemaNode, v any) {
	if named, ok := w.named[n.Type]; ok {
		n = named
	}
	switch v := v.(type) {
	case nil:
		w.json = jsonrow.Null(w.json)
	case map[string]any:
		w.members(n, v)
	case []any:
		w.path = append(w.path, inList)
		w.json = append(w.json, '[')
		for i, item := range v {
			if len(w.json) > w.limit {
				break
			}
			if i > 0 {
				w.json = append(w.json, ',')
			}
			w.value(n.Items, item)
		}
		w.json = append(w.json, ']')
		w.path = w.path[:len(w.path)-1]
	default:
		w.scalar(n, v)
	}
}

// members appends a record, a map, or what a union holds, which comes under the name
// of its branch.
func (w *writing) members(n *avro.SchemaNode, v map[string]any) {
	if n.Type == "union" {
		for name, held := range v {
			w.value(w.branch(n, name), held)
		}
		return
	}
	w.json = append(w.json, '{')
	if n.Type == "map" {
		for _, name := range slices.Sorted(maps.Keys(v)) {
			w.member(name, n.Values, v[name])
		}
	}
	for i := range n.Fields {
		w.member(n.Fields[i].Name, &n.Fields[i].Type, v[n.Fields[i].Name])
	}
	w.json = append(w.json, '}')
}

func (w *writing) member(name string, n *avro.SchemaNode, v any) {
	w.json, w.path = jsonrow.Name(w.json, name), append(w.path, name)
	w.value(n, v)
	w.path = w.path[:len(w.path)-1]
}

// branch returns the branch of a union that has a name: of a type, with its logical
// type if it has one, or of a named type.
func (w *writing) branch(n *avro.SchemaNode, name string) *avro.SchemaNode {
	for i := range n.Branches {
		b := &n.Branches[i]
		if name == b.Type || name == fullName(b) || name == b.Type+"."+b.LogicalType {
			return b
		}
	}
	return &avro.SchemaNode{Type: name}
}

func (w *writing) scalar(n *avro.SchemaNode, v any) {
	switch v := v.(type) {
	case bool:
		w.json = strconv.AppendBool(w.json, v)
	case int32:
		w.json = strconv.AppendInt(w.json, int64(v), 10)
	case int64:
		w.json = strconv.AppendInt(w.json, v, 10)
	case float32:
		w.json = jsonrow.Float(w.json, float64(v))
	case float64:
		w.json = jsonrow.Float(w.json, v)
	case string:
		w.json = jsonrow.Text(w.json, []byte(v))
	case []byte:
		w.bytes(v)
	case [16]byte:
		w.json = jsonrow.UUID(w.json, v[:])
	case *big.Rat:
		w.decimal(n, v)
	case time.Duration:
		w.json = jsonrow.Time(w.json, int64(v), jsonrow.Nanos)
	case time.Time:
		w.time(n, v)
	case avro.Duration:
		w.json = jsonrow.Interval(w.json, int64(v.Months), int64(v.Days), int64(v.Milliseconds), jsonrow.Millis)
	default:
		w.problem = fmt.Errorf("a value of Avro's type %s %s is not read here", n.Type, n.LogicalType)
		w.json = jsonrow.Null(w.json)
	}
}

func (w *writing) bytes(v []byte) {
	if !w.texts.Has(w.path) {
		w.json = jsonrow.Binary(w.json, v)
		return
	}
	var err error
	if w.json, err = jsonrow.BytesAsText(w.json, v); err != nil && w.problem == nil {
		w.problem = fmt.Errorf("column %s: %w", w.path[0], err)
	}
}

func (w *writing) decimal(n *avro.SchemaNode, v *big.Rat) {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.Scale)), nil)
	unscaled := new(big.Int).Mul(v.Num(), power)
	w.json = jsonrow.IntDecimal(w.json, unscaled.Quo(unscaled, v.Denom()), n.Scale)
}

func (w *writing) time(n *avro.SchemaNode, v time.Time) {
	if n.LogicalType == "date" {
		w.json = jsonrow.Date(w.json, v.Unix()/(24*60*60))
		return
	}
	w.json = jsonrow.Moment(w.json, v.Unix(), int64(v.Nanosecond()), !strings.HasPrefix(n.LogicalType, "local-"))
}
