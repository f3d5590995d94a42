package arrowrows

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"strandline/internal/jsonrow"
)

// scalar appends a value that is not nested and not NULL.
func (w *writing) scalar(values arrow.Array, i int) {
	switch a := values.(type) {
	case *array.Boolean:
		w.json = strconv.AppendBool(w.json, a.Value(i))
	case *array.Float16:
		w.json = jsonrow.Float(w.json, jsonrow.Half(a.Value(i).Uint16())) // Arrow's own Float32 knows no subnormals
	case *array.Float32:
		w.json = jsonrow.Float(w.json, float64(a.Value(i)))
	case *array.Float64:
		w.json = jsonrow.Float(w.json, a.Value(i))
	case interface{ Value(int) string }: // String, LargeString, StringView
		w.json = jsonrow.Text(w.json, []byte(w.upTo(a.Value(i))))
	case interface{ Value(int) []byte }: // Binary, LargeBinary, BinaryView, FixedSizeBinary
		w.bytes(a.Value(i))
	default:
		if !w.integer(values, i) && !w.decimal(values, i) && !w.time(values, i) && w.problem == nil {
			w.problem = fmt.Errorf("a value of type %s is not read here", values.DataType())
			w.json = jsonrow.Null(w.json)
		}
	}
}

func (w *writing) integer(values arrow.Array, i int) bool {
	switch a := values.(type) {
	case *array.Int8:
		w.json = strconv.AppendInt(w.json, int64(a.Value(i)), 10)
	case *array.Int16:
		w.json = strconv.AppendInt(w.json, int64(a.Value(i)), 10)
	case *array.Int32:
		w.json = strconv.AppendInt(w.json, int64(a.Value(i)), 10)
	case *array.Int64:
		w.json = strconv.AppendInt(w.json, a.Value(i), 10)
	case *array.Uint8:
		w.json = strconv.AppendUint(w.json, uint64(a.Value(i)), 10)
	case *array.Uint16:
		w.json = strconv.AppendUint(w.json, uint64(a.Value(i)), 10)
	case *array.Uint32:
		w.json = strconv.AppendUint(w.json, uint64(a.Value(i)), 10)
	case *array.Uint64:
		w.json = strconv.AppendUint(w.json, a.Value(i), 10)
	default:
		return false
	}
	return true
}

func (w *writing) decimal(values arrow.Array, i int) bool {
	t, ok := values.DataType().(arrow.DecimalType)
	if !ok {
		return false
	}
	var unscaled *big.Int
	switch a := values.(type) {
	case *array.Decimal32:
		unscaled = big.NewInt(int64(a.Value(i)))
	case *array.Decimal64:
		unscaled = big.NewInt(int64(a.Value(i)))
	case *array.Decimal128:
		unscaled = a.Value(i).BigInt()
	case *array.Decimal256:
		unscaled = a.Value(i).BigInt()
	default:
		return false
	}
	w.json = jsonrow.IntDecimal(w.json, unscaled, int(t.GetScale()))
	return true
}

var perSecond = [...]int64{arrow.Second: jsonrow.Seconds, arrow.Millisecond: jsonrow.Millis, arrow.Microsecond: jsonrow.Micros, arrow.Nanosecond: jsonrow.Nanos}

func (w *writing) time(values arrow.Array, i int) bool {
	const dayMillis = 24 * 60 * 60 * 1000
	switch a := values.(type) {
	case *array.Date32:
		w.json = jsonrow.Date(w.json, int64(a.Value(i)))
	case *array.Date64: // milliseconds, of which a writer should make whole days
		if ms := int64(a.Value(i)); ms%dayMillis == 0 {
			w.json = jsonrow.Date(w.json, ms/dayMillis)
		} else {
			w.json = jsonrow.Timestamp(w.json, ms, jsonrow.Millis, false)
		}
	case *array.Time32:
		w.json = jsonrow.Time(w.json, int64(a.Value(i)), perSecond[a.DataType().(*arrow.Time32Type).Unit])
	case *array.Time64:
		w.json = jsonrow.Time(w.json, int64(a.Value(i)), perSecond[a.DataType().(*arrow.Time64Type).Unit])
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		w.json = jsonrow.Timestamp(w.json, int64(a.Value(i)), perSecond[t.Unit], t.TimeZone != "")
	case *array.Duration:
		w.json = jsonrow.Duration(w.json, int64(a.Value(i)), perSecond[a.DataType().(*arrow.DurationType).Unit])
	case *array.MonthInterval:
		w.json = jsonrow.Interval(w.json, int64(a.Value(i)), 0, 0, jsonrow.Seconds)
	case *array.DayTimeInterval:
		v := a.Value(i)
		w.json = jsonrow.Interval(w.json, 0, int64(v.Days), int64(v.Milliseconds), jsonrow.Millis)
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		w.json = jsonrow.Interval(w.json, int64(v.Months), int64(v.Days), v.Nanoseconds, jsonrow.Nanos)
	default:
		return false
	}
	return true
}
