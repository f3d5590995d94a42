package datafile

import (
	"fmt"
	"strings"
)

// CanonicalSQL returns a DuckDB expression for the text that AppendRow
// appends for a row of these columns, in their order, so that a receipt can be
// checked without Strandline.
func CanonicalSQL(cols []Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		text := canonicalText(c.Type.Kind, quoteName(c.Name))
		parts[i] = fmt.Sprintf("coalesce(strlen(%s) || ':' || %s, '-')", text, text)
	}
	if len(parts) == 0 {
		return "''"
	}
	return strings.Join(parts, " || ")
}

// canonicalText is NULL where the column is.
func canonicalText(k Kind, name string) string {
	switch k {
	case Date:
		return fmt.Sprintf("CAST(date_diff('day', DATE '1970-01-01', %s) AS VARCHAR)", name)
	case Timestamp, TimestampTZ:
		return fmt.Sprintf("CAST(epoch_us(%s) AS VARCHAR)", name)
	case Float, Double:
		wide := fmt.Sprintf("CAST(%s AS DOUBLE)", name)
		return fmt.Sprintf("CASE WHEN isnan(%s) THEN 'nan' WHEN %s = 0 THEN '%s' ELSE format('{:.16e}', %s) END",
			wide, wide, scientific(nil, 0), wide)
	case Blob:
		return fmt.Sprintf("lower(hex(%s))", name)
	case Varchar:
		return name
	default:
		return fmt.Sprintf("CAST(%s AS VARCHAR)", name)
	}
}

// DigestSQL returns a DuckDB query of one row and one column: the row digest of
// relation (what may stand after FROM) over these columns, in their order, in
// the 32 digits of digest.Sum128. It adds the first 16 bytes of each row's
// SHA-256 as two halves of 64 bits, and carries from the low to the high one.
func DigestSQL(cols []Column, relation string) string {
	return fmt.Sprintf(`WITH hashes AS (
  SELECT sha256(%s) AS h FROM %s
), halves AS (
  SELECT coalesce(sum(CAST('0x' || substr(h, 1, 16) AS UBIGINT)), 0) AS hi,
         coalesce(sum(CAST('0x' || substr(h, 17, 16) AS UBIGINT)), 0) AS lo
  FROM hashes
)
SELECT lpad(lower(hex(CAST((hi + lo // 18446744073709551616) %% 18446744073709551616 AS UBIGINT))), 16, '0')
    || lpad(lower(hex(CAST(lo %% 18446744073709551616 AS UBIGINT))), 16, '0') AS digest
FROM halves`, CanonicalSQL(cols), relation)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
