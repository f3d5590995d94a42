package duck

import (
	"fmt"
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// arrowTypes are the Arrow types of the engine's types without parameters;
// what is not here travels as text.
var arrowTypes = map[duckdb.Type]arrow.DataType{
	duckdb.TYPE_BOOLEAN:      arrow.FixedWidthTypes.Boolean,
	duckdb.TYPE_TINYINT:      arrow.PrimitiveTypes.Int8,
	duckdb.TYPE_SMALLINT:     arrow.PrimitiveTypes.Int16,
	duckdb.TYPE_INTEGER:      arrow.PrimitiveTypes.Int32,
	duckdb.TYPE_BIGINT:       arrow.PrimitiveTypes.Int64,
	duckdb.TYPE_UTINYINT:     arrow.PrimitiveTypes.Uint8,
	duckdb.TYPE_USMALLINT:    arrow.PrimitiveTypes.Uint16,
	duckdb.TYPE_UINTEGER:     arrow.PrimitiveTypes.Uint32,
	duckdb.TYPE_UBIGINT:      arrow.PrimitiveTypes.Uint64,
	duckdb.TYPE_FLOAT:        arrow.PrimitiveTypes.Float32,
	duckdb.TYPE_DOUBLE:       arrow.PrimitiveTypes.Float64,
	duckdb.TYPE_BLOB:         arrow.BinaryTypes.Binary,
	duckdb.TYPE_DATE:         arrow.FixedWidthTypes.Date32,
	duckdb.TYPE_TIMESTAMP:    &arrow.TimestampType{Unit: arrow.Microsecond},
	duckdb.TYPE_TIMESTAMP_S:  &arrow.TimestampType{Unit: arrow.Second},
	duckdb.TYPE_TIMESTAMP_MS: &arrow.TimestampType{Unit: arrow.Millisecond},
	duckdb.TYPE_TIMESTAMP_NS: &arrow.TimestampType{Unit: arrow.Nanosecond},
	duckdb.TYPE_TIMESTAMP_TZ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	duckdb.TYPE_HUGEINT:      &arrow.Decimal128Type{Precision: 38},
}

// arrow returns the Arrow type of a readable shape.
func (s shape) arrow() arrow.DataType {
	switch s.kind {
	case duckdb.TYPE_DECIMAL:
		return &arrow.Decimal128Type{Precision: int32(s.precision), Scale: int32(s.scale)}
	case duckdb.TYPE_LIST:
		return arrow.ListOf(s.children[0].arrow())
	case duckdb.TYPE_ARRAY:
		return arrow.FixedSizeListOf(int32(s.size), s.children[0].arrow())
	case duckdb.TYPE_MAP:
		return arrow.MapOf(s.children[0].arrow(), s.children[1].arrow())
	case duckdb.TYPE_STRUCT:
		fields := make([]arrow.Field, len(s.names))
		for i, name := range s.names {
			fields[i] = arrow.Field{Name: name, Type: s.children[i].arrow(), Nullable: true}
		}
		return arrow.StructOf(fields...)
	}
	if t, ok := arrowTypes[s.kind]; ok {
		return t
	}
	return arrow.BinaryTypes.String
}

// appendArrow appends a value of column o to its builder.
func (o output) appendArrow(b array.Builder, v any) error {
	if err := o.shape.appendArrow(b, v); err != nil {
		return fmt.Errorf("column %s: %w", Ident(o.name), err)
	}
	return nil
}

func (s shape) appendArrow(b array.Builder, v any) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(s.text(v))
		return nil
	case *array.Decimal128Builder:
		return appendDecimal(b, v)
	case *array.ListBuilder:
		b.Append(true)
		return s.appendItems(b.ValueBuilder(), v)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		return s.appendItems(b.ValueBuilder(), v)
	case *array.MapBuilder:
		return s.appendEntries(b, v)
	case *array.StructBuilder:
		return s.appendStruct(b, v)
	}
	if !appendScalar(b, v) {
		return fmt.Errorf("a %T can't be appended as %s", v, b.Type())
	}
	return nil
}

// appendScalar appends a value whose Go type is that of the builder.
func appendScalar(b array.Builder, v any) bool {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		return appendAs(b, v)
	case *array.Int8Builder:
		return appendAs(b, v)
	case *array.Int16Builder:
		return appendAs(b, v)
	case *array.Int32Builder:
		return appendAs(b, v)
	case *array.Int64Builder:
		return appendAs(b, v)
	case *array.Uint8Builder:
		return appendAs(b, v)
	case *array.Uint16Builder:
		return appendAs(b, v)
	case *array.Uint32Builder:
		return appendAs(b, v)
	case *array.Uint64Builder:
		return appendAs(b, v)
	case *array.Float32Builder:
		return appendAs(b, v)
	case *array.Float64Builder:
		return appendAs(b, v)
	case *array.BinaryBuilder:
		return appendAs[[]byte](b, v)
	case *array.Date32Builder:
		t, ok := v.(time.Time)
		b.Append(arrow.Date32(t.Unix() / secondsPerDay))
		return ok
	case *array.TimestampBuilder:
		t, ok := v.(time.Time)
		b.Append(timestampOf(t, b.Type()))
		return ok
	}
	return false
}

func appendAs[T any](b interface{ Append(T) }, v any) bool {
	value, ok := v.(T)
	if ok {
		b.Append(value)
	}
	return ok
}

// timestampOf is the engine's own number, infinities included.
func timestampOf(t time.Time, typ arrow.DataType) arrow.Timestamp {
	unit := arrow.Microsecond
	if ts, ok := typ.(*arrow.TimestampType); ok {
		unit = ts.Unit
	}
	switch unit {
	case arrow.Second:
		return arrow.Timestamp(t.Unix())
	case arrow.Millisecond:
		return arrow.Timestamp(t.UnixMilli())
	case arrow.Nanosecond:
		return arrow.Timestamp(t.UnixNano())
	}
	return arrow.Timestamp(t.UnixMicro())
}

func appendDecimal(b *array.Decimal128Builder, v any) error {
	n, isInteger := v.(*big.Int)
	if d, ok := v.(duckdb.Decimal); ok {
		n, isInteger = d.Value, true
	}
	if !isInteger {
		return fmt.Errorf("a %T can't be appended as a decimal", v)
	}
	if len(new(big.Int).Abs(n).String()) > 38 {
		return fmt.Errorf("%s has more than the 38 digits that Arrow decimals hold: CAST it to VARCHAR", n)
	}
	b.Append(decimal128.FromBigInt(n))
	return nil
}
