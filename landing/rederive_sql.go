package landing

import (
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
)

// limb is 2^32 in SQL: sums modulo 2^128 are carried in four limbs, since no
// product of two of them, nor a sum of such, is more than a HUGEINT holds.
const limb = "4294967296"

// InputDigestSQL returns a DuckDB query of one row, rows and digest: what
// State.InputOf documents, of these segments' rows in hours at positions below
// upTo, so that a receipt's input can be checked without Strandline. paths[i]
// is where segments[i] is found, as a quoted SQL text, and there is at least one.
//
// A position is at most 63 bits and a row's digest 128, so Σ digest·position
// is taken limb by limb: h3…h0 of the digest, p1 and p0 of the position.
func InputDigestSQL(segments []Segment, paths []string, hours Hours, upTo Position) string {
	var b strings.Builder
	b.WriteString("WITH landed AS (\n")
	b.WriteString(strings.Join(landedSQL(segments, paths, hours), "\n  UNION ALL\n"))
	fmt.Fprintf(&b, `
), limbs AS (
  SELECT hour, position // %[1]s AS p1, position %% %[1]s AS p0,
         ('0x' || substr(h, 1, 8))::UBIGINT::HUGEINT AS h3, ('0x' || substr(h, 9, 8))::UBIGINT::HUGEINT AS h2,
         ('0x' || substr(h, 17, 8))::UBIGINT::HUGEINT AS h1, ('0x' || substr(h, 25, 8))::UBIGINT::HUGEINT AS h0
  FROM landed WHERE position < %[6]d
), sums AS (
  SELECT hour, count(*) AS rows,
         sum(h0) AS s0, sum(h1) AS s1, sum(h2) AS s2, sum(h3) AS s3,
         sum(h0 * p0) AS m0, sum(h1 * p0 + h0 * p1) AS m1,
         sum(h2 * p0 + h1 * p1) AS m2, sum(h3 * p0 + h2 * p1) AS m3
  FROM limbs GROUP BY hour
), lines AS (
  SELECT hour, rows, hour || ' ' || rows || ' ' || %[2]s || ' ' || %[3]s || chr(10) AS line
  FROM (SELECT *, s0 AS s_0, %[4]s, m0 AS m_0, %[5]s FROM sums)
)
SELECT CAST(coalesce(sum(rows), 0) AS BIGINT) AS rows, coalesce(sha256(string_agg(line, '' ORDER BY hour)), '') AS digest
FROM lines`, limb, hexSQL("s_"), hexSQL("m_"), carrySQL("s"), carrySQL("m"), upTo)
	return b.String()
}

// landedSQL reads bucket-hour, position and row hash: one SELECT for each
// group of segments with the same columns.
func landedSQL(segments []Segment, paths []string, hours Hours) []string {
	var selects []string
	for rest := numbers(len(segments)); len(rest) > 0; {
		columns := segments[rest[0]].Columns
		var files, bases []string
		others := rest[:0:0]
		for _, i := range rest {
			if !slices.Equal(segments[i].Columns, columns) {
				others = append(others, i)
				continue
			}
			files = append(files, "\n    "+paths[i])
			bases = append(bases, fmt.Sprint(segments[i].Base))
		}
		selects = append(selects, fmt.Sprintf(`  SELECT %s AS hour,
         ([%s]::BIGINT[])[file_index::BIGINT + 1] + "%s" AS position,
         sha256(%s) AS h
  FROM %s
  WHERE epoch_us(event_time) >= %d AND epoch_us(event_time) < %d`,
			floorSQL, strings.Join(bases, ", "), columnOffset, datafile.CanonicalSQL(digestedColumns(columns)),
			datafile.ReadSQL("["+strings.Join(files, ",")+"]", false), hours.From*microsPerHour, hours.To*microsPerHour))
		rest = others
	}
	return selects
}

// floorSQL is floorHour of event_time: / and % go towards zero in SQL too.
var floorSQL = fmt.Sprintf("(epoch_us(event_time) - (epoch_us(event_time) %% %[1]d + %[1]d) %% %[1]d) // %[1]d", microsPerHour)

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// carrySQL carries from each limb's sum to the next: x_0 … x_3 of x0 … x3.
func carrySQL(x string) string {
	var parts []string
	for i := 1; i < 4; i++ {
		parts = append(parts, fmt.Sprintf("%[1]s_%[2]d // %[3]s + %[1]s%[4]d AS %[1]s_%[4]d", x, i-1, limb, i))
	}
	return strings.Join(parts, ", ")
}

// hexSQL writes four carried limbs as 32 digits.
func hexSQL(x string) string {
	var parts []string
	for i := 3; i >= 0; i-- {
		parts = append(parts, fmt.Sprintf("lpad(lower(hex(CAST(%s%d %% %s AS UBIGINT))), 8, '0')", x, i, limb))
	}
	return strings.Join(parts, " || ")
}
