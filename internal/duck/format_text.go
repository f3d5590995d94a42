package duck

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// text is a value that is not NULL as a person reads it. What is nested is
// JSON.
func (s shape) text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		return blobText(v)
	case time.Time:
		return s.timeText(v)
	case float32:
		return floatText(float64(v), 32)
	case float64:
		return floatText(v, 64)
	case *big.Int:
		return v.String()
	case duckdb.Decimal:
		return decimalText(v)
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v)
	}
	return string(s.appendJSON(nil, v))
}

// blobText writes bytes as the engine does: printable ASCII as it is, all
// else, and the backslash, as \xHH.
func blobText(b []byte) string {
	var t strings.Builder
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(&t, "\\x%02X", c)
		} else {
			t.WriteByte(c)
		}
	}
	return t.String()
}

// floatText is the shortest text that reads back as the same number.
func floatText(f float64, bits int) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case math.IsNaN(f):
		return "NaN"
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(f, format, -1, bits)
}

// decimalText writes all digits of the scale, as the engine does.
func decimalText(d duckdb.Decimal) string {
	digits := new(big.Int).Abs(d.Value).String()
	if scale := int(d.Scale); scale > 0 {
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale-len(digits)+1) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if d.Value.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

const secondsPerDay = 24 * 60 * 60

// timeText is ISO 8601: a date, a naive timestamp, or an instant in UTC with Z.
func (s shape) timeText(t time.Time) string {
	if infinity := s.infinity(t); infinity != 0 {
		return floatText(math.Inf(infinity), 64)
	}
	switch s.kind {
	case duckdb.TYPE_DATE:
		return t.UTC().Format("2006-01-02")
	case duckdb.TYPE_TIMESTAMP_TZ:
		return t.UTC().Format("2006-01-02T15:04:05.999999999Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

// infinity is 1 or -1 where the engine's value is infinity or -infinity, which
// it keeps as the largest numbers of its unit.
func (s shape) infinity(t time.Time) int {
	var n, top int64
	switch s.kind {
	case duckdb.TYPE_DATE:
		n, top = t.Unix()/secondsPerDay, math.MaxInt32
	case duckdb.TYPE_TIMESTAMP, duckdb.TYPE_TIMESTAMP_TZ:
		n, top = t.UnixMicro(), math.MaxInt64
	case duckdb.TYPE_TIMESTAMP_S:
		n, top = t.Unix(), math.MaxInt64
	case duckdb.TYPE_TIMESTAMP_MS:
		n, top = t.UnixMilli(), math.MaxInt64
	case duckdb.TYPE_TIMESTAMP_NS:
		n, top = t.UnixNano(), math.MaxInt64
	default:
		return 0
	}
	switch n {
	case top:
		return 1
	case -top:
		return -1
	}
	return 0
}
