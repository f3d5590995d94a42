package datafile

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The most digits of a DECIMAL that Parquet holds in 32 and in 64 bits.
const (
	maxDigits32 = 9
	maxDigits64 = 18
)

// physical is the Parquet kind of a type's values.
func physical(t Type) parquet.Kind {
	switch t.Kind {
	case Boolean:
		return parquet.Boolean
	case BigInt, UBigInt, Timestamp, TimestampTZ:
		return parquet.Int64
	case Float:
		return parquet.Float
	case Double:
		return parquet.Double
	case Varchar, JSON, Blob:
		return parquet.ByteArray
	case UUID:
		return parquet.FixedLenByteArray
	case Decimal:
		return physicalDecimal(t.Precision)
	default:
		return parquet.Int32
	}
}

func physicalDecimal(precision int) parquet.Kind {
	switch {
	case precision <= maxDigits32:
		return parquet.Int32
	case precision <= maxDigits64:
		return parquet.Int64
	default:
		return parquet.FixedLenByteArray
	}
}

// leaf returns the Parquet node whose annotations make every reader see t.
func leaf(t Type) parquet.Node {
	switch t.Kind {
	case Boolean:
		return parquet.Leaf(parquet.BooleanType)
	case TinyInt, SmallInt, Integer, BigInt:
		return parquet.Int(bitWidths[t.Kind])
	case UTinyInt, USmallInt, UInteger, UBigInt:
		return parquet.Uint(bitWidths[t.Kind])
	case Float:
		return parquet.Leaf(parquet.FloatType)
	case Double:
		return parquet.Leaf(parquet.DoubleType)
	case Decimal:
		return leafDecimal(t)
	case Varchar:
		return parquet.String()
	case JSON:
		return parquet.JSON()
	case Date:
		return parquet.Date()
	case Timestamp, TimestampTZ:
		return parquet.TimestampAdjusted(parquet.Microsecond, t.Kind == TimestampTZ)
	case UUID:
		return parquet.UUID()
	default:
		return parquet.Leaf(parquet.ByteArrayType)
	}
}

var bitWidths = [...]int{
	TinyInt: 8, SmallInt: 16, Integer: 32, BigInt: 64,
	UTinyInt: 8, USmallInt: 16, UInteger: 32, UBigInt: 64,
}

func leafDecimal(t Type) parquet.Node {
	switch physicalDecimal(t.Precision) {
	case parquet.Int32:
		return parquet.Decimal(t.Scale, t.Precision, parquet.Int32Type)
	case parquet.Int64:
		return parquet.Decimal(t.Scale, t.Precision, parquet.Int64Type)
	default:
		return parquet.Decimal(t.Scale, t.Precision, parquet.FixedLenByteArrayType(16))
	}
}

// columnsOf maps a file's schema back to columns.
func columnsOf(f *parquet.File) ([]Column, error) {
	leaves, elements := f.Root().Columns(), f.Metadata().Schema
	if len(elements) != len(leaves)+1 {
		return nil, fmt.Errorf("the schema has nested columns, which Strandline does not store (flatten them in the SQL)")
	}
	cols := make([]Column, len(leaves))
	for i, c := range leaves {
		t, ok := typeOf(c, &elements[i+1])
		if !ok || c.Repeated() || !c.Leaf() {
			return nil, fmt.Errorf("column %q is stored as %s, which is none of Strandline's types (cast it in the SQL)", c.Name(), describe(c, &elements[i+1]))
		}
		cols[i] = Column{Name: c.Name(), Type: t}
	}
	return cols, nil
}

func describe(c *parquet.Column, e *format.SchemaElement) string {
	if !c.Leaf() {
		return "a nested group"
	}
	s := parquet.Kind(e.Type.V).String()
	if l := c.Type().LogicalType(); l != nil && l.Value != nil {
		s += " annotated " + l.String()
	}
	if c.Repeated() {
		s = "repeated " + s
	}
	return s
}

// typeOf maps one leaf back to its type. A type is taken only with the very
// physical form that value.go gives it.
func typeOf(c *parquet.Column, e *format.SchemaElement) (t Type, ok bool) {
	if !c.Leaf() || !e.Type.Valid {
		return Type{}, false
	}
	kind := parquet.Kind(e.Type.V)
	if l := c.Type().LogicalType(); l != nil && l.Value != nil {
		t, ok = annotatedType(l.Value)
	} else {
		t, ok = bareType(kind)
	}
	fixed := kind != parquet.FixedLenByteArray || e.TypeLength.Valid && e.TypeLength.V == 16
	return t, ok && fixed && physical(t) == kind
}

// bareType is the type of a column without an annotation.
func bareType(k parquet.Kind) (t Type, ok bool) {
	t.Kind, ok = map[parquet.Kind]Kind{
		parquet.Boolean: Boolean, parquet.Int32: Integer, parquet.Int64: BigInt,
		parquet.Float: Float, parquet.Double: Double, parquet.ByteArray: Blob,
	}[k]
	return t, ok
}

func annotatedType(v format.LogicalTypeValue) (t Type, ok bool) {
	switch v := v.(type) {
	case *format.StringType:
		return Type{Kind: Varchar}, true
	case *format.JsonType:
		return Type{Kind: JSON}, true
	case *format.DateType:
		return Type{Kind: Date}, true
	case *format.UUIDType:
		return Type{Kind: UUID}, true
	case *format.IntType:
		return integerType(v)
	case *format.DecimalType:
		t = Type{Kind: Decimal, Precision: int(v.Precision), Scale: int(v.Scale)}
		return t, t.Precision >= 1 && t.Precision <= MaxPrecision && t.Scale >= 0 && t.Scale <= t.Precision
	case *format.TimestampType:
		_, micros := v.Unit.Value.(*format.MicroSeconds)
		if v.IsAdjustedToUTC {
			return Type{Kind: TimestampTZ}, micros
		}
		return Type{Kind: Timestamp}, micros
	}
	return Type{}, false
}

func integerType(v *format.IntType) (t Type, ok bool) {
	first, last := TinyInt, BigInt
	if !v.IsSigned {
		first, last = UTinyInt, UBigInt
	}
	for k := first; k <= last; k++ {
		if bitWidths[k] == int(v.BitWidth) {
			return Type{Kind: k}, true
		}
	}
	return Type{}, false
}
