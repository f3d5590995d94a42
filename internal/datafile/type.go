// Package datafile reads and writes the Parquet files of a lake, with typed
// columns whose values keep every digit, and computes the row digests that
// receipts are made of. It knows files of this machine, never a store.
package datafile

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is a column type without its parameters.
type Kind uint8

// The kinds a stream may declare and a table may hold. Each is stored by
// Parquet as what it is, so every reader sees the same type.
const (
	Invalid Kind = iota
	Boolean
	TinyInt
	SmallInt
	Integer
	BigInt
	UTinyInt
	USmallInt
	UInteger
	UBigInt
	Float
	Double
	Decimal
	Varchar
	JSON        // text that is one JSON value
	Date        // days since 1970-01-01
	Timestamp   // microseconds since 1970-01-01T00:00:00, without a zone
	TimestampTZ // microseconds since 1970-01-01T00:00:00Z: an instant
	UUID
	Blob
)

var kindNames = [...]string{
	Invalid: "INVALID", Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT",
	Integer: "INTEGER", BigInt: "BIGINT", UTinyInt: "UTINYINT", USmallInt: "USMALLINT",
	UInteger: "UINTEGER", UBigInt: "UBIGINT", Float: "FLOAT", Double: "DOUBLE",
	Decimal: "DECIMAL", Varchar: "VARCHAR", JSON: "JSON", Date: "DATE",
	Timestamp: "TIMESTAMP", TimestampTZ: "TIMESTAMP WITH TIME ZONE", UUID: "UUID", Blob: "BLOB",
}

// aliases are other spellings that people and the engine use.
var aliases = map[string]Kind{
	"BOOL": Boolean, "LOGICAL": Boolean, "INT1": TinyInt, "INT2": SmallInt, "SHORT": SmallInt,
	"INT": Integer, "INT4": Integer, "SIGNED": Integer, "INT8": BigInt, "LONG": BigInt,
	"FLOAT4": Float, "REAL": Float, "FLOAT8": Double, "NUMERIC": Decimal,
	"TEXT": Varchar, "STRING": Varchar, "CHAR": Varchar, "BPCHAR": Varchar,
	"DATETIME": Timestamp, "TIMESTAMPTZ": TimestampTZ, "BYTEA": Blob, "BINARY": Blob, "VARBINARY": Blob,
}

// MaxPrecision is the most digits a DECIMAL holds.
const MaxPrecision = 38

// Type is a column's type. Precision and Scale are those of a DECIMAL and 0
// otherwise. Types are comparable with ==.
type Type struct {
	Kind      Kind
	Precision int
	Scale     int
}

// String returns the type as SQL spells it; ParseType reads it back.
func (t Type) String() string {
	if t.Kind == Decimal {
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	}
	if int(t.Kind) < len(kindNames) {
		return kindNames[t.Kind]
	}
	return kindNames[Invalid]
}

// HasEmpty tells whether an empty text is a value of the type.
func (t Type) HasEmpty() bool { return t.Kind == Varchar || t.Kind == Blob }

// MarshalText writes the SQL spelling.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (t *Type) UnmarshalText(text []byte) (err error) {
	*t, err = ParseType(string(text))
	return err
}

// ParseType reads a type as SQL spells it, in any case. DECIMAL alone is
// DECIMAL(18,3), as in DuckDB.
func ParseType(s string) (Type, error) {
	name, args, hasArgs := strings.Cut(strings.ToUpper(strings.TrimSpace(s)), "(")
	name = strings.Join(strings.Fields(name), " ")
	kind, ok := aliases[name]
	for k := Boolean; !ok && int(k) < len(kindNames); k++ {
		if kindNames[k] == name {
			kind, ok = k, true
		}
	}
	if !ok {
		return Type{}, fmt.Errorf("type %q is not one that Strandline stores (use one of %s)", s, strings.Join(kindNames[1:], ", "))
	}
	if kind != Decimal {
		if hasArgs {
			return Type{}, fmt.Errorf("type %q: %s takes no parameters", s, name)
		}
		return Type{Kind: kind}, nil
	}
	t := Type{Kind: Decimal, Precision: 18, Scale: 3}
	if hasArgs {
		if t.Precision, t.Scale, ok = parsePrecision(args); !ok {
			return Type{}, fmt.Errorf("type %q: want DECIMAL(precision,scale) with 1 ≤ precision ≤ %d and 0 ≤ scale ≤ precision", s, MaxPrecision)
		}
	}
	return t, nil
}

func parsePrecision(args string) (precision, scale int, ok bool) {
	inner, found := strings.CutSuffix(strings.TrimSpace(args), ")")
	if !found {
		return 0, 0, false
	}
	p, s, both := strings.Cut(inner, ",")
	precision, err := strconv.Atoi(strings.TrimSpace(p))
	if err != nil {
		return 0, 0, false
	}
	if both {
		if scale, err = strconv.Atoi(strings.TrimSpace(s)); err != nil {
			return 0, 0, false
		}
	}
	ok = precision >= 1 && precision <= MaxPrecision && scale >= 0 && scale <= precision
	return precision, scale, ok
}

// Column is a named, typed column. All columns may hold NULL; that a key may
// not is checked when it is published.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}
