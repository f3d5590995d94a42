package parquetrows

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// Declared lists the types of the columns, and of the fields of groups, as far as a
// stream's columns have such.
func (f *File) Declared() []jsonrow.Declared {
	var all []jsonrow.Declared
	for _, c := range f.columns {
		all = c.declared(nil, all)
	}
	return all
}

func (n *node) declared(above []string, all []jsonrow.Declared) []jsonrow.Declared {
	path := append(slices.Clip(above), n.name)
	if n.shape == object {
		for _, child := range n.children {
			all = child.declared(path, all)
		}
		return all
	}
	if n.typ == "" {
		return all
	}
	return append(all, jsonrow.Declared{Path: path, Type: n.typ})
}

// typeOf is the type that a leaf declares; "" if a stream's columns have none such.
func typeOf(e *format.SchemaElement) string {
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType:
		return jsonrow.TypeText
	case *format.JsonType:
		return jsonrow.TypeJSON
	case *format.UUIDType:
		return jsonrow.TypeUUID
	case *format.Float16Type:
		return jsonrow.TypeFloat
	case *format.DateType:
		return jsonrow.TypeDate
	case *format.DecimalType:
		return jsonrow.TypeDecimal(int(t.Precision), int(t.Scale))
	case *format.IntType:
		return jsonrow.TypeInt(int(t.BitWidth), t.IsSigned)
	case *format.TimestampType:
		return jsonrow.TypeInstant(perSecond(t.Unit), t.IsAdjustedToUTC)
	case nil:
		return legacyType(e)
	}
	return ""
}

// legacyType is typeOf for the annotations that files had before there were logical types.
func legacyType(e *format.SchemaElement) string {
	if !e.ConvertedType.Valid {
		return bareType(parquet.Kind(e.Type.V))
	}
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum:
		return jsonrow.TypeText
	case deprecated.Json:
		return jsonrow.TypeJSON
	case deprecated.Decimal:
		return jsonrow.TypeDecimal(int(e.Precision.V), int(e.Scale.V))
	case deprecated.Date:
		return jsonrow.TypeDate
	case deprecated.TimestampMillis, deprecated.TimestampMicros:
		return jsonrow.TypeTimestampTZ
	case deprecated.Uint8, deprecated.Int8:
		return jsonrow.TypeInt(8, e.ConvertedType.V == deprecated.Int8)
	case deprecated.Uint16, deprecated.Int16:
		return jsonrow.TypeInt(16, e.ConvertedType.V == deprecated.Int16)
	case deprecated.Uint32, deprecated.Int32:
		return jsonrow.TypeInt(32, e.ConvertedType.V == deprecated.Int32)
	case deprecated.Uint64, deprecated.Int64:
		return jsonrow.TypeInt(64, e.ConvertedType.V == deprecated.Int64)
	}
	return ""
}

func bareType(kind parquet.Kind) string {
	switch kind {
	case parquet.Boolean:
		return jsonrow.TypeBoolean
	case parquet.Int32:
		return jsonrow.TypeInt(32, true)
	case parquet.Int64:
		return jsonrow.TypeInt(64, true)
	case parquet.Float:
		return jsonrow.TypeFloat
	case parquet.Double:
		return jsonrow.TypeDouble
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return jsonrow.TypeBytes
	}
	return ""
}
