package duck

import (
	"slices"
	"strings"
	"testing"

	"strandline/internal/datafile"
)

// column reads "name TYPE".
func column(t *testing.T, s string) datafile.Column {
	t.Helper()
	name, typ, _ := strings.Cut(s, " ")
	parsed, err := datafile.ParseType(typ)
	if err != nil {
		t.Fatal(err)
	}
	return datafile.Column{Name: name, Type: parsed}
}

func TestDescribeNamesTheStoredTypes(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	types := []string{
		"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
		"FLOAT", "DOUBLE", "DECIMAL(4,1)", "DECIMAL(9,3)", "DECIMAL(18,0)", "DECIMAL(38,9)", "VARCHAR", "JSON",
		"DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "UUID", "BLOB",
	}
	var exprs []string
	var want []datafile.Column
	for i, typ := range types {
		name := string(rune('a' + i))
		exprs = append(exprs, "NULL::"+typ+" AS "+name)
		want = append(want, column(t, name+" "+typ))
	}
	got, err := s.Describe(t.Context(), "SELECT "+strings.Join(exprs, ", ")+", NULL AS \"nothing at all\"; -- end")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, datafile.Column{Name: "nothing at all", Type: datafile.Type{Kind: datafile.Integer}})
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestDescribeRefusesWhatWouldNotSurviveStorage(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	for sql, want := range map[string]string{
		"SELECT sum(i) AS total FROM range(3) r(i)": `column "total" has type HUGEINT, which can't be stored as it is: write CAST(… AS BIGINT)`,
		"SELECT 1::UHUGEINT AS x":                   "CAST(… AS DECIMAL(38,0))",
		"SELECT INTERVAL 1 DAY AS x":                `type INTERVAL`,
		"SELECT [1] AS x":                           `type INTEGER[], which can't be stored as it is: write CAST(to_json(…) AS VARCHAR) AS "x"`,
		"SELECT [1]::INT[1] AS x":                   `type INTEGER[1]`,
		"SELECT {'a': 1} AS x":                      `type STRUCT("a" INTEGER)`,
		"SELECT row(1, 2) AS x":                     `type STRUCT`,
		"SELECT MAP {'a': [1.5]} AS x":              `type MAP(VARCHAR, DECIMAL(2,1)[])`,
		"SELECT union_value(a := 1) AS x":           "type UNION",
		"SELECT 1::VARIANT AS x":                    "type VARIANT",
		"SELECT 1::BIGNUM AS x":                     "type BIGNUM",
		"SELECT 'a'::ENUM('a') AS x":                "type ENUM, which can't be stored as it is: write CAST(… AS VARCHAR)",
		"SELECT '2020-01-01'::TIMESTAMP_NS AS x":    "CAST(… AS TIMESTAMP)",
		"SELECT '2020-01-01'::TIMESTAMP_S AS x":     "CAST(… AS TIMESTAMP)",
		"SELECT '2020-01-01'::TIMESTAMP_MS AS x":    "CAST(… AS TIMESTAMP)",
		"SELECT TIME '12:00' AS x":                  "type TIME",
		"SELECT '12:00+01'::TIMETZ AS x":            "type TIME WITH TIME ZONE",
		"SELECT '101'::BIT AS x":                    "type BIT",
		"SELECT 1 AS a, 2 AS A":                     `columns "a" and "A" have the same name`,
		"SELECT 1 AS B, 2 AS b":                     `columns "B" and "b" have the same name`,
		"SELECT 1 AS a, 2 AS a":                     `columns "a" and "a" have the same name`,
		"SELECT nope FROM (SELECT 1 AS a)":          `"nope" not found`,
		"SELECT * FROM missing":                     "missing does not exist",
		"SELECT 1; SELECT 2":                        "2 statements",
		"CREATE TABLE x(i INT)":                     "found CREATE",
	} {
		_, err := s.Describe(t.Context(), sql)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", sql, err, want)
		}
	}
	_, err := s.Describe(t.Context(), "SELECT 1::HUGEINT AS a, [1] AS b")
	if err == nil || !strings.Contains(err.Error(), `"a"`) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("%v, want both columns named", err)
	}
}
