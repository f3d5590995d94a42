package jsonrow

import "fmt"

// Declared is of what type a field is that is not nested, as the schema of its file
// says.
type Declared struct {
	Path []string // the names that lead to it
	Type string   // as SQL spells it
}

// The types that fields may be declared with, beside whole numbers and decimals.
const (
	TypeBoolean     = "BOOLEAN"
	TypeFloat       = "FLOAT"
	TypeDouble      = "DOUBLE"
	TypeText        = "VARCHAR"
	TypeJSON        = "JSON"
	TypeDate        = "DATE"
	TypeTimestamp   = "TIMESTAMP"                // without a zone, in microseconds at most
	TypeTimestampTZ = "TIMESTAMP WITH TIME ZONE" // an instant, in microseconds at most
	TypeUUID        = "UUID"
	TypeBytes       = "BLOB"
)

// TypeInt is that of whole numbers of 8, 16, 32 or 64 bits; "" of others.
func TypeInt(bits int, signed bool) string {
	name := map[int]string{8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}[bits]
	if name == "" || signed {
		return name
	}
	return "U" + name
}

// TypeDecimal is that of decimals; "" of what no DECIMAL holds.
func TypeDecimal(precision, scale int) string {
	const most = 38 // digits
	if precision < 1 || precision > most || scale < 0 || scale > precision {
		return ""
	}
	return fmt.Sprintf("DECIMAL(%d,%d)", precision, scale)
}

// TypeInstant is that of points in time that are counted in so many a second; "" of
// those that no column keeps whole. zoned says that they are instants.
func TypeInstant(perSecond int64, zoned bool) string {
	switch {
	case perSecond > Micros:
		return ""
	case zoned:
		return TypeTimestampTZ
	}
	return TypeTimestamp
}
