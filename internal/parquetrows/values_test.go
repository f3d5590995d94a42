package parquetrows

import (
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// element is a leaf of that physical type, and length if it has one.
func element(kind parquet.Kind, length int32, logical format.LogicalTypeValue) format.SchemaElement {
	e := format.SchemaElement{Name: "c", Type: thrift.New(format.Type(kind)), LogicalType: format.LogicalType{Value: logical}}
	if length > 0 {
		e.TypeLength = thrift.New(length)
	}
	return e
}

// old is a leaf that is annotated as files were before there were logical types.
func old(kind parquet.Kind, length int32, to deprecated.ConvertedType) format.SchemaElement {
	e := element(kind, length, nil)
	e.ConvertedType = thrift.New(to)
	e.Scale, e.Precision = thrift.New(int32(2)), thrift.New(int32(9))
	return e
}

func TestEachWayToStoreAValueIsRead(t *testing.T) {
	millis, micros, nanos := format.TimeUnit{Value: &format.MilliSeconds{}}, format.TimeUnit{Value: &format.MicroSeconds{}}, format.TimeUnit{Value: &format.NanoSeconds{}}
	fixed, bytes, i32, i64 := parquet.FixedLenByteArrayValue, parquet.ByteArrayValue, parquet.Int32Value, parquet.Int64Value
	const f, b = parquet.FixedLenByteArray, parquet.ByteArray
	for _, c := range []struct {
		e    format.SchemaElement
		v    parquet.Value
		want string
	}{
		{element(f, 2, &format.Float16Type{}), fixed([]byte{0x00, 0x3e}), "1.5"},
		{element(f, 2, &format.Float16Type{}), fixed([]byte{0x00, 0x7e}), `"NaN"`},
		{element(parquet.Int96, 0, nil), parquet.Int96Value(deprecated.Int96{1, 0, 2_440_587}), `"1969-12-31T00:00:00.000000001"`},
		{element(parquet.Int96, 0, nil), parquet.Int96Value(deprecated.Int96{2_676_686_848, 0, 2_440_588}), `"1970-01-01T00:00:02.676686848"`},
		{element(b, 0, &format.EnumType{}), bytes([]byte("red")), `"red"`},
		{element(b, 0, nil), bytes([]byte("red")), `"726564"`},
		{element(f, 3, nil), fixed([]byte("red")), `"726564"`},
		{element(b, 0, &format.BsonType{}), bytes([]byte{5}), `"05"`},
		{element(parquet.Int32, 0, &format.DecimalType{Scale: 3, Precision: 9}), i32(-1234), "-1.234"},
		{element(parquet.Int64, 0, &format.DecimalType{Scale: 0, Precision: 18}), i64(7), "7"},
		{element(f, 5, &format.DecimalType{Scale: 1, Precision: 11}), fixed([]byte{0xff, 0xff, 0xff, 0xff, 0xfe}), "-0.2"},
		{element(b, 0, &format.DecimalType{Scale: 1, Precision: 11}), bytes([]byte{0x01, 0x00}), "25.6"},
		{element(parquet.Int32, 0, &format.IntType{BitWidth: 32, IsSigned: false}), i32(-1), "4294967295"},
		{element(parquet.Int64, 0, &format.IntType{BitWidth: 64, IsSigned: false}), i64(-1), "18446744073709551615"},
		{element(parquet.Int32, 0, &format.IntType{BitWidth: 8, IsSigned: true}), i32(-1), "-1"},
		{element(parquet.Int32, 0, &format.TimeType{Unit: millis}), i32(3_723_004), `"01:02:03.004"`},
		{element(parquet.Int64, 0, &format.TimeType{Unit: nanos, IsAdjustedToUTC: true}), i64(1), `"00:00:00.000000001"`},
		{element(parquet.Int64, 0, &format.TimestampType{Unit: millis, IsAdjustedToUTC: true}), i64(-1), `"1969-12-31T23:59:59.999Z"`},
		{element(parquet.Int64, 0, &format.TimestampType{Unit: micros}), i64(-1), `"1969-12-31T23:59:59.999999"`},
		{element(parquet.Int64, 0, &format.TimestampType{Unit: nanos}), i64(-1), `"1969-12-31T23:59:59.999999999"`},
		{element(b, 0, &format.JsonType{}), bytes([]byte(`[1, 2]`)), `[1, 2]`},
		{old(b, 0, deprecated.UTF8), bytes([]byte("red")), `"red"`},
		{old(b, 0, deprecated.Json), bytes([]byte("1")), `1`},
		{old(parquet.Int32, 0, deprecated.Decimal), i32(-5), "-0.05"},
		{old(parquet.Int32, 0, deprecated.Uint32), i32(-1), "4294967295"},
		{old(parquet.Int32, 0, deprecated.Int16), i32(-1), "-1"},
		{old(parquet.Int32, 0, deprecated.Date), i32(-1), `"1969-12-31"`},
		{old(parquet.Int32, 0, deprecated.TimeMillis), i32(1), `"00:00:00.001"`},
		{old(parquet.Int64, 0, deprecated.TimeMicros), i64(1), `"00:00:00.000001"`},
		{old(parquet.Int64, 0, deprecated.TimestampMillis), i64(1), `"1970-01-01T00:00:00.001Z"`},
		{old(parquet.Int64, 0, deprecated.TimestampMicros), i64(1), `"1970-01-01T00:00:00.000001Z"`},
		{old(f, 12, deprecated.Interval), fixed([]byte{1, 0, 0, 0, 2, 0, 0, 0, 0xe8, 3, 0, 0}), `"P1M2DT1S"`},
	} {
		write, _, err := writerOf(&c.e)
		if err != nil {
			t.Errorf("%+v: %v", c.e, err)
			continue
		}
		if got, err := write(nil, c.v); string(got) != c.want || err != nil {
			t.Errorf("%v %v: got %s, %v, want %s", c.e.LogicalType.Value, c.e.ConvertedType, got, err, c.want)
		}
	}
}

func TestDifferencesOfMoreBitsThanTheirValuesAreRead(t *testing.T) {
	// 4294967295, 0, 4294967295: blocks of 128 in 4 parts, the least difference
	// -4294967295, and of 33 bits each what is beyond it.
	page := []byte{128, 1, 4, 3, 0xfe, 0xff, 0xff, 0xff, 0x1f, 0xfd, 0xff, 0xff, 0xff, 0x1f, 33, 0, 0, 0}
	mini := make([]byte, 32*33/8)
	second := uint64(2 * 4294967295)
	for bit := range 33 {
		if second>>bit&1 == 1 {
			mini[(33+bit)/8] |= 1 << ((33 + bit) % 8)
		}
	}
	plain, err := plainOfDeltas(append(page, mini...), 3)
	if want := "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff"; string(plain) != want || err != nil {
		t.Errorf("got %x, %v, want %x", plain, err, want)
	}
	for n := range len(page) + len(mini) {
		if _, err := plainOfDeltas(append(page, mini...)[:n], 3); err == nil {
			t.Errorf("cut at %d: it was taken", n)
		}
	}
}
