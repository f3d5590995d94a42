package duck

import (
	duckdb "github.com/duckdb/duckdb-go/v2"

	"strandline/internal/datafile"
)

// storedKinds are the engine's types that Parquet keeps as they are.
var storedKinds = map[duckdb.Type]datafile.Kind{
	duckdb.TYPE_BOOLEAN:      datafile.Boolean,
	duckdb.TYPE_TINYINT:      datafile.TinyInt,
	duckdb.TYPE_SMALLINT:     datafile.SmallInt,
	duckdb.TYPE_INTEGER:      datafile.Integer,
	duckdb.TYPE_BIGINT:       datafile.BigInt,
	duckdb.TYPE_UTINYINT:     datafile.UTinyInt,
	duckdb.TYPE_USMALLINT:    datafile.USmallInt,
	duckdb.TYPE_UINTEGER:     datafile.UInteger,
	duckdb.TYPE_UBIGINT:      datafile.UBigInt,
	duckdb.TYPE_FLOAT:        datafile.Float,
	duckdb.TYPE_DOUBLE:       datafile.Double,
	duckdb.TYPE_VARCHAR:      datafile.Varchar,
	duckdb.TYPE_DATE:         datafile.Date,
	duckdb.TYPE_TIMESTAMP:    datafile.Timestamp,
	duckdb.TYPE_TIMESTAMP_TZ: datafile.TimestampTZ,
	duckdb.TYPE_UUID:         datafile.UUID,
	duckdb.TYPE_BLOB:         datafile.Blob,
	duckdb.TYPE_SQLNULL:      datafile.Integer, // a bare NULL is an INTEGER once stored
}

// insteads are what to write for a type that is not stored.
var insteads = map[duckdb.Type]string{
	duckdb.TYPE_HUGEINT:      "CAST(… AS BIGINT), or AS DECIMAL(38,0) where BIGINT is too small,",
	duckdb.TYPE_UHUGEINT:     "CAST(… AS DECIMAL(38,0))",
	duckdb.TYPE_INTERVAL:     "datediff('second', start, end), or CAST(… AS VARCHAR),",
	duckdb.TYPE_TIMESTAMP_S:  "CAST(… AS TIMESTAMP)",
	duckdb.TYPE_TIMESTAMP_MS: "CAST(… AS TIMESTAMP)",
	duckdb.TYPE_TIMESTAMP_NS: "CAST(… AS TIMESTAMP)",
	duckdb.TYPE_LIST:         "CAST(to_json(…) AS VARCHAR)",
	duckdb.TYPE_ARRAY:        "CAST(to_json(…) AS VARCHAR)",
	duckdb.TYPE_STRUCT:       "CAST(to_json(…) AS VARCHAR)",
	duckdb.TYPE_MAP:          "CAST(to_json(…) AS VARCHAR)",
	duckdb.TYPE_UNION:        "CAST(to_json(…) AS VARCHAR)",
}

// storable returns the type a column is stored as or, if it can't be, what to
// write instead.
func storable(s shape) (datafile.Type, string) {
	switch kind, ok := storedKinds[s.kind]; {
	case s.json:
		return datafile.Type{Kind: datafile.JSON}, ""
	case s.kind == duckdb.TYPE_DECIMAL:
		return datafile.Type{Kind: datafile.Decimal, Precision: s.precision, Scale: s.scale}, ""
	case ok:
		return datafile.Type{Kind: kind}, ""
	}
	if instead, ok := insteads[s.kind]; ok {
		return datafile.Type{}, instead
	}
	return datafile.Type{}, "CAST(… AS VARCHAR)"
}
