package datafile

import "github.com/parquet-go/parquet-go"

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
