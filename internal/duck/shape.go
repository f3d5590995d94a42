package duck

import (
	"fmt"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// shape is a type of the engine's with all that is in it.
type shape struct {
	kind             duckdb.Type
	json             bool     // a VARCHAR that is JSON
	precision, scale int      // of a DECIMAL
	size             int      // of an ARRAY
	names            []string // of a STRUCT's fields
	children         []shape  // the item of a LIST or ARRAY, key and value of a MAP, a STRUCT's fields
	sql              string   // as SQL spells it
}

// simpleNames are the types without parameters, as SQL spells them.
var simpleNames = map[duckdb.Type]string{
	duckdb.TYPE_BOOLEAN: "BOOLEAN", duckdb.TYPE_TINYINT: "TINYINT", duckdb.TYPE_SMALLINT: "SMALLINT",
	duckdb.TYPE_INTEGER: "INTEGER", duckdb.TYPE_BIGINT: "BIGINT", duckdb.TYPE_UTINYINT: "UTINYINT",
	duckdb.TYPE_USMALLINT: "USMALLINT", duckdb.TYPE_UINTEGER: "UINTEGER", duckdb.TYPE_UBIGINT: "UBIGINT",
	duckdb.TYPE_FLOAT: "FLOAT", duckdb.TYPE_DOUBLE: "DOUBLE", duckdb.TYPE_VARCHAR: "VARCHAR",
	duckdb.TYPE_BLOB: "BLOB", duckdb.TYPE_DATE: "DATE", duckdb.TYPE_TIMESTAMP: "TIMESTAMP",
	duckdb.TYPE_TIMESTAMP_S: "TIMESTAMP_S", duckdb.TYPE_TIMESTAMP_MS: "TIMESTAMP_MS",
	duckdb.TYPE_TIMESTAMP_NS: "TIMESTAMP_NS", duckdb.TYPE_TIMESTAMP_TZ: "TIMESTAMP WITH TIME ZONE",
	duckdb.TYPE_TIME: "TIME", duckdb.TYPE_TIME_TZ: "TIME WITH TIME ZONE", duckdb.TYPE_INTERVAL: "INTERVAL",
	duckdb.TYPE_HUGEINT: "HUGEINT", duckdb.TYPE_UHUGEINT: "UHUGEINT", duckdb.TYPE_BIT: "BIT",
	duckdb.TYPE_UUID: "UUID", duckdb.TYPE_BIGNUM: "BIGNUM", duckdb.TYPE_SQLNULL: "\"NULL\"",
	duckdb.TYPE_ENUM: "ENUM", duckdb.TYPE_UNION: "UNION", duckdb.TYPE_VARIANT: "VARIANT",
	duckdb.TYPE_GEOMETRY: "GEOMETRY",
}

// shapeOf reads the driver's description of a type.
func shapeOf(info duckdb.TypeInfo) shape {
	s := shape{kind: info.InternalType(), sql: simpleNames[info.InternalType()]}
	if info.Alias() == "JSON" {
		s.json, s.sql = true, "JSON"
		return s
	}
	switch d := info.Details().(type) {
	case *duckdb.DecimalDetails:
		s.precision, s.scale = int(d.Width), int(d.Scale)
		s.sql = fmt.Sprintf("DECIMAL(%d,%d)", d.Width, d.Scale)
	case *duckdb.ListDetails:
		s.children = []shape{shapeOf(d.Child)}
	case *duckdb.ArrayDetails:
		s.children, s.size = []shape{shapeOf(d.Child)}, int(d.Size)
	case *duckdb.MapDetails:
		s.children = []shape{shapeOf(d.Key), shapeOf(d.Value)}
		if key := s.children[0]; len(key.children) > 0 || key.kind == duckdb.TYPE_BLOB { // what Go can't have as a key
			return shape{kind: duckdb.TYPE_VARIANT, sql: s.respell().sql}
		}
	case *duckdb.StructDetails:
		for _, entry := range d.Entries {
			if entry.Name() == "" { // ROW(…): a type that can't be written in SQL
				return shape{kind: duckdb.TYPE_VARIANT, sql: "STRUCT"}
			}
			s.names = append(s.names, entry.Name())
			s.children = append(s.children, shapeOf(entry.Info()))
		}
	}
	return s.respell()
}

// respell writes the SQL of a nested type from that of its children.
func (s shape) respell() shape {
	switch s.kind {
	case duckdb.TYPE_LIST:
		s.sql = s.children[0].sql + "[]"
	case duckdb.TYPE_ARRAY:
		s.sql = fmt.Sprintf("%s[%d]", s.children[0].sql, s.size)
	case duckdb.TYPE_MAP:
		s.sql = fmt.Sprintf("MAP(%s, %s)", s.children[0].sql, s.children[1].sql)
	case duckdb.TYPE_STRUCT:
		i := -1
		s.sql = "STRUCT(" + joined(s.names, func(name string) string {
			i++
			return Ident(name) + " " + s.children[i].sql
		}) + ")"
	}
	return s
}

// replaced returns the type with its innermost types replaced as replace says.
func (s shape) replaced(replace func(shape) shape) shape {
	if len(s.children) == 0 {
		return replace(s)
	}
	children := make([]shape, len(s.children))
	for i, child := range s.children {
		children[i] = child.replaced(replace)
	}
	s.children = children
	return s.respell()
}
