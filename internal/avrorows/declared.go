package avrorows

import (
	"slices"

	"github.com/twmb/avro"

	"strandline/internal/jsonrow"
)

// Declared lists the types of the fields, and of those of records in them, as far as a
// stream's columns have such.
func (f *File) Declared() []jsonrow.Declared {
	d := declaring{named: newWriting(f.schema, 0, nil).named, within: map[*avro.SchemaNode]bool{}}
	d.fieldsOf(f.schema, nil)
	return d.all
}

type declaring struct {
	named  map[string]*avro.SchemaNode
	within map[*avro.SchemaNode]bool // the records that are being looked at: they may name themselves
	all    []jsonrow.Declared
}

func (d *declaring) fieldsOf(record *avro.SchemaNode, above []string) {
	if d.within[record] {
		return
	}
	d.within[record] = true
	defer delete(d.within, record)
	for i := range record.Fields {
		field := &record.Fields[i]
		d.field(&field.Type, append(slices.Clip(above), field.Name))
	}
}

func (d *declaring) field(n *avro.SchemaNode, path []string) {
	if n = d.value(n); n == nil {
		return
	}
	if n.Type == "record" {
		d.fieldsOf(n, path)
	} else if name := typeOf(n); name != "" {
		d.all = append(d.all, jsonrow.Declared{Path: path, Type: name})
	}
}

// value is what a field has where it is not null; nil if that may be of several types.
func (d *declaring) value(n *avro.SchemaNode) *avro.SchemaNode {
	if n.Type == "union" {
		var held *avro.SchemaNode
		for i := range n.Branches {
			switch branch := &n.Branches[i]; {
			case branch.Type == "null":
			case held != nil:
				return nil
			default:
				held = branch
			}
		}
		if n = held; n == nil {
			return nil
		}
	}
	if named, ok := d.named[n.Type]; ok {
		return named
	}
	return n
}

// typeOf is the type that a schema declares; "" if a stream's columns have none such.
func typeOf(n *avro.SchemaNode) string {
	switch n.LogicalType {
	case "":
		return plainTypes[n.Type]
	case "decimal":
		return jsonrow.TypeDecimal(n.Precision, n.Scale)
	case "uuid":
		return jsonrow.TypeUUID
	case "date":
		return jsonrow.TypeDate
	case "timestamp-millis", "timestamp-micros":
		return jsonrow.TypeTimestampTZ
	case "local-timestamp-millis", "local-timestamp-micros":
		return jsonrow.TypeTimestamp
	}
	return ""
}

// plainTypes are those without a logical type.
var plainTypes = map[string]string{
	"boolean": jsonrow.TypeBoolean, "int": jsonrow.TypeInt(32, true), "long": jsonrow.TypeInt(64, true),
	"float": jsonrow.TypeFloat, "double": jsonrow.TypeDouble,
	"string": jsonrow.TypeText, "enum": jsonrow.TypeText, "bytes": jsonrow.TypeBytes, "fixed": jsonrow.TypeBytes,
}
