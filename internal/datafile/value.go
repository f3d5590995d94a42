package datafile

import "github.com/parquet-go/parquet-go"

// Value is one cell; its zero value is NULL. How a Kind is held: Boolean as
// BOOLEAN; the integers up to 32 bits and Date as INT32 (unsigned ones by
// their bits); BigInt, UBigInt (by its bits), Timestamp and TimestampTZ as
// INT64; Float as FLOAT; Double as DOUBLE; Decimal as INT32 up to 9 digits,
// INT64 up to 18, and above that as FIXED_LEN_BYTE_ARRAY(16), two's complement
// big endian; Varchar, JSON and Blob as BYTE_ARRAY; UUID as
// FIXED_LEN_BYTE_ARRAY(16).
type Value = parquet.Value
