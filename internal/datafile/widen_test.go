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

func typeOfText(t *testing.T, text string) Type {
	t.Helper()
	parsed, err := ParseType(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
