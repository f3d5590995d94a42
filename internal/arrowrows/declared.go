package arrowrows

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"strandline/internal/jsonrow"
)

// Declared lists the types of the columns, and of the fields of structs, as far as a
// stream's columns have such.
func (f *File) Declared() []jsonrow.Declared { return declared(f.schema.Fields(), nil, nil) }

func declared(fields []arrow.Field, above []string, all []jsonrow.Declared) []jsonrow.Declared {
	for _, field := range fields {
		path := append(slices.Clip(above), field.Name)
		if group, ok := field.Type.(*arrow.StructType); ok {
			all = declared(group.Fields(), path, all)
		} else if name := typeOf(field); name != "" {
			all = append(all, jsonrow.Declared{Path: path, Type: name})
		}
	}
	return all
}

// typeOf is the type that a field declares; "" if a stream's columns have none such.
func typeOf(field arrow.Field) string {
	if name, is := field.Metadata.GetValue(extensionName); is {
		return map[string]string{extensionUUID: jsonrow.TypeUUID, extensionJSON: jsonrow.TypeJSON}[name]
	}
	switch t := field.Type.(type) {
	case *arrow.DictionaryType:
		return typeOf(arrow.Field{Type: t.ValueType})
	case *arrow.RunEndEncodedType:
		return typeOf(arrow.Field{Type: t.Encoded()})
	case arrow.DecimalType:
		return jsonrow.TypeDecimal(int(t.GetPrecision()), int(t.GetScale()))
	case *arrow.TimestampType:
		return jsonrow.TypeInstant(perSecond[t.Unit], t.TimeZone != "")
	}
	return plainTypes[field.Type.ID()]
}

// plainTypes are the types of what has no parameters.
var plainTypes = map[arrow.Type]string{
	arrow.BOOL: jsonrow.TypeBoolean,
	arrow.INT8: jsonrow.TypeInt(8, true), arrow.UINT8: jsonrow.TypeInt(8, false),
	arrow.INT16: jsonrow.TypeInt(16, true), arrow.UINT16: jsonrow.TypeInt(16, false),
	arrow.INT32: jsonrow.TypeInt(32, true), arrow.UINT32: jsonrow.TypeInt(32, false),
	arrow.INT64: jsonrow.TypeInt(64, true), arrow.UINT64: jsonrow.TypeInt(64, false),
	arrow.FLOAT16: jsonrow.TypeFloat, arrow.FLOAT32: jsonrow.TypeFloat, arrow.FLOAT64: jsonrow.TypeDouble,
	arrow.STRING: jsonrow.TypeText, arrow.LARGE_STRING: jsonrow.TypeText, arrow.STRING_VIEW: jsonrow.TypeText,
	arrow.BINARY: jsonrow.TypeBytes, arrow.LARGE_BINARY: jsonrow.TypeBytes, arrow.BINARY_VIEW: jsonrow.TypeBytes, arrow.FIXED_SIZE_BINARY: jsonrow.TypeBytes,
	arrow.DATE32: jsonrow.TypeDate,
}
