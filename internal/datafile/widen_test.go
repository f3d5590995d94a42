package datafile

import (
	"strings"
	"testing"
)

func TestOnlyATypeThatHoldsEveryValueIsWider(t *testing.T) {
	types := map[string]string{ // to each the types that it widens to, but itself
		"TINYINT":   "SMALLINT INTEGER BIGINT FLOAT DOUBLE VARCHAR DECIMAL(3,0) DECIMAL(6,3) DECIMAL(10,3) DECIMAL(38,18) DECIMAL(22,3)",
		"UTINYINT":  "SMALLINT INTEGER BIGINT USMALLINT UINTEGER UBIGINT FLOAT DOUBLE VARCHAR DECIMAL(3,0) DECIMAL(6,3) DECIMAL(10,3) DECIMAL(38,18) DECIMAL(22,3)",
		"UINTEGER":  "BIGINT UBIGINT DOUBLE VARCHAR DECIMAL(38,18) DECIMAL(22,3)",
		"INTEGER":   "BIGINT DOUBLE VARCHAR DECIMAL(38,18) DECIMAL(22,3)",
		"BIGINT":    "VARCHAR DECIMAL(38,18) DECIMAL(22,3)",
		"UBIGINT":   "VARCHAR DECIMAL(38,18)",
		"SMALLINT":  "INTEGER BIGINT FLOAT DOUBLE VARCHAR DECIMAL(10,3) DECIMAL(38,18) DECIMAL(22,3)",
		"USMALLINT": "INTEGER BIGINT UINTEGER UBIGINT FLOAT DOUBLE VARCHAR DECIMAL(10,3) DECIMAL(38,18) DECIMAL(22,3)",

		"DECIMAL(3,0)":   "DECIMAL(6,3) DECIMAL(10,3) DECIMAL(22,3) DECIMAL(38,18)",
		"DECIMAL(6,3)":   "DECIMAL(10,3) DECIMAL(22,3) DECIMAL(38,18)",
		"DECIMAL(10,3)":  "DECIMAL(22,3) DECIMAL(38,18)",
		"DECIMAL(22,3)":  "DECIMAL(38,18)",
		"DECIMAL(38,18)": "",
		"FLOAT":          "DOUBLE", "DOUBLE": "", "VARCHAR": "", "JSON": "", "BLOB": "",
		"BOOLEAN": "VARCHAR", "DATE": "VARCHAR", "UUID": "VARCHAR",
		"TIMESTAMP": "", "TIMESTAMP WITH TIME ZONE": "",
	}
	for from, list := range types {
		wider := map[string]bool{from: true}
		for _, to := range strings.Fields(list) {
			wider[to] = true
		}
		for to := range types {
			if got := typeOfText(t, from).Widens(typeOfText(t, to)); got != wider[to] {
				t.Errorf("%s widens to %s: %v", from, to, got)
			}
		}
	}
}

func TestTheTypeThatHoldsBothIsTheNarrowest(t *testing.T) {
	for _, c := range [][3]string{
		{"DECIMAL(18,2)", "DECIMAL(18,4)", "DECIMAL(20,4)"}, {"DECIMAL(18,2)", "DECIMAL(10,2)", "DECIMAL(18,2)"},
		{"DECIMAL(38,2)", "DECIMAL(38,4)", ""}, {"DECIMAL(10,2)", "INTEGER", "DECIMAL(12,2)"}, {"DECIMAL(10,2)", "DOUBLE", ""},
		{"SMALLINT", "UINTEGER", "BIGINT"}, {"BIGINT", "UBIGINT", "DECIMAL(20,0)"}, {"SMALLINT", "FLOAT", "FLOAT"}, {"INTEGER", "FLOAT", "DOUBLE"},
		{"BIGINT", "DOUBLE", ""}, {"DATE", "UUID", "VARCHAR"}, {"TIMESTAMP", "DATE", ""}, {"BIGINT", "JSON", ""}, {"BLOB", "VARCHAR", ""}, {"BIGINT", "BOOLEAN", "VARCHAR"},
	} {
		a, b := typeOfText(t, c[0]), typeOfText(t, c[1])
		for _, pair := range [][2]Type{{a, b}, {b, a}} {
			got, is := pair[0].Join(pair[1])
			if is != (c[2] != "") || is && got.String() != c[2] {
				t.Errorf("%v and %v: %v %v, want %q", pair[0], pair[1], got, is, c[2])
			}
		}
	}
}

func typeOfText(t *testing.T, text string) Type {
	t.Helper()
	parsed, err := ParseType(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
