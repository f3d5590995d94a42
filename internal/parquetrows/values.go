package parquetrows

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// writer appends a value that is not NULL. An error is a reason why its row is none.
type writer func(dst []byte, v parquet.Value) ([]byte, error)

// plain makes a writer of what can't fail.
func plain(write func(dst []byte, v parquet.Value) []byte) writer {
	return func(dst []byte, v parquet.Value) ([]byte, error) { return write(dst, v), nil }
}

// writerOf returns the writer of a leaf's values: by its annotation, by the older
// kind of annotation, or by how it is stored. Bytes are those that have none.
func writerOf(e *format.SchemaElement) (w writer, bytes bool, err error) {
	if w, ok := annotated(e); ok {
		return w, false, nil
	}
	if w, ok := legacy(e); ok {
		return w, false, nil
	}
	kind := parquet.Kind(e.Type.V)
	if w, ok := bare(kind); ok {
		return w, isBytes(kind), nil
	}
	return nil, false, fmt.Errorf("%w: column %q is stored in a way that is not known here", jsonrow.ErrUnsupported, e.Name)
}

func annotated(e *format.SchemaElement) (writer, bool) {
	kind, length := parquet.Kind(e.Type.V), e.TypeLength.V
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType:
		return plain(text), isBytes(kind)
	case *format.JsonType:
		return document, isBytes(kind)
	case *format.UUIDType:
		return plain(uuid), kind == parquet.FixedLenByteArray && length == 16
	case *format.Float16Type:
		return plain(half), kind == parquet.FixedLenByteArray && length == 2
	case *format.DateType:
		return plain(date), kind == parquet.Int32
	case *format.DecimalType:
		return decimal(kind, int(t.Scale))
	case *format.IntType:
		return integer(kind, t.IsSigned)
	case *format.TimeType:
		return timeOfDay(perSecond(t.Unit)), isInteger(kind)
	case *format.TimestampType:
		return timestamp(perSecond(t.Unit), t.IsAdjustedToUTC), kind == parquet.Int64
	case *format.NullType:
		return plain(func(dst []byte, _ parquet.Value) []byte { return jsonrow.Null(dst) }), true
	}
	return nil, false
}

// legacy reads the annotations that files had before there were logical types. Their
// times are of UTC.
func legacy(e *format.SchemaElement) (writer, bool) {
	if !e.ConvertedType.Valid {
		return nil, false
	}
	kind := parquet.Kind(e.Type.V)
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum:
		return plain(text), isBytes(kind)
	case deprecated.Json:
		return document, isBytes(kind)
	case deprecated.Decimal:
		return decimal(kind, int(e.Scale.V))
	case deprecated.Date:
		return plain(date), kind == parquet.Int32
	case deprecated.TimeMillis:
		return timeOfDay(jsonrow.Millis), isInteger(kind)
	case deprecated.TimeMicros:
		return timeOfDay(jsonrow.Micros), isInteger(kind)
	case deprecated.TimestampMillis:
		return timestamp(jsonrow.Millis, true), kind == parquet.Int64
	case deprecated.TimestampMicros:
		return timestamp(jsonrow.Micros, true), kind == parquet.Int64
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return integer(kind, false)
	case deprecated.Interval:
		return plain(interval), kind == parquet.FixedLenByteArray && e.TypeLength.V == 12
	}
	return nil, false
}

func bare(kind parquet.Kind) (writer, bool) {
	switch kind {
	case parquet.Boolean:
		return plain(func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }), true
	case parquet.Int32, parquet.Int64:
		return integer(kind, true)
	case parquet.Int96:
		return plain(int96), true
	case parquet.Float:
		return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.Float(dst, float64(v.Float())) }), true
	case parquet.Double:
		return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.Float(dst, v.Double()) }), true
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.Binary(dst, v.ByteArray()) }), true
	}
	return nil, false
}

func isBytes(k parquet.Kind) bool { return k == parquet.ByteArray || k == parquet.FixedLenByteArray }

func isInteger(k parquet.Kind) bool { return k == parquet.Int32 || k == parquet.Int64 }

func text(dst []byte, v parquet.Value) []byte { return jsonrow.Text(dst, v.ByteArray()) }

func uuid(dst []byte, v parquet.Value) []byte { return jsonrow.UUID(dst, v.ByteArray()) }

func date(dst []byte, v parquet.Value) []byte { return jsonrow.Date(dst, int64(v.Int32())) }

func document(dst []byte, v parquet.Value) ([]byte, error) {
	return jsonrow.Document(dst, v.ByteArray())
}

func half(dst []byte, v parquet.Value) []byte {
	return jsonrow.Float(dst, jsonrow.Half(binary.LittleEndian.Uint16(v.ByteArray())))
}

func decimal(kind parquet.Kind, scale int) (writer, bool) {
	if isInteger(kind) {
		return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.Decimal(dst, number(v), scale) }), true
	}
	return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.BigDecimal(dst, v.ByteArray(), scale) }), isBytes(kind)
}

func integer(kind parquet.Kind, signed bool) (writer, bool) {
	switch {
	case signed:
		return plain(func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, number(v), 10) }), isInteger(kind)
	case kind == parquet.Int32:
		return plain(func(dst []byte, v parquet.Value) []byte { return strconv.AppendUint(dst, uint64(v.Uint32()), 10) }), true
	default:
		return plain(func(dst []byte, v parquet.Value) []byte { return strconv.AppendUint(dst, v.Uint64(), 10) }), kind == parquet.Int64
	}
}

// number returns a value of either width.
func number(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func perSecond(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return jsonrow.Millis
	case *format.MicroSeconds:
		return jsonrow.Micros
	default:
		return jsonrow.Nanos
	}
}

func timeOfDay(perSecond int64) writer {
	return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.Time(dst, number(v), perSecond) })
}

func timestamp(perSecond int64, instant bool) writer {
	return plain(func(dst []byte, v parquet.Value) []byte { return jsonrow.Timestamp(dst, v.Int64(), perSecond, instant) })
}

// int96 reads the timestamps of old Hive, Impala and Spark: nanoseconds of the day,
// and the Julian day.
func int96(dst []byte, v parquet.Value) []byte {
	const epoch, day = 2_440_588, 24 * 60 * 60 // the Julian day of 1970-01-01; seconds
	t := v.Int96()
	nanos := int64(uint64(t[1])<<32 | uint64(t[0]))
	return jsonrow.Moment(dst, (int64(t[2])-epoch)*day+nanos/jsonrow.Nanos, nanos%jsonrow.Nanos, false)
}

// interval reads three little endian numbers: months, days, milliseconds.
func interval(dst []byte, v parquet.Value) []byte {
	b := v.ByteArray()
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint32(b[i:])) }
	return jsonrow.Interval(dst, at(0), at(4), at(8), jsonrow.Millis)
}
