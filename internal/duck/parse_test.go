package duck

import (
	"slices"
	"strings"
	"testing"
)

func TestNormalizedIsTheSameForTheSameMeaningOnly(t *testing.T) {
	e, _ := open(t, Options{})
	const plain = `SELECT net, count_star() AS n, sum(mag) FROM quakes WHERE (mag > 1.50) GROUP BY net`
	var text string
	normal := func(sql string) string {
		st, err := e.Parse(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		text = st.Plain
		return st.Normalized
	}
	const base = `SELECT net, count(*) AS n, sum(mag) FROM quakes WHERE mag > 1.50 GROUP BY net`
	for _, same := range []string{
		"select net,\n\tCOUNT(*)  n, SUM(mag) from quakes where mag>1.50 group by net",
		"-- first\nSELECT net, count(*) AS n, /* a ; b */ sum(mag) FROM quakes WHERE mag > 1.50 GROUP BY net; -- end ; of it",
		base + ";",
		base + " ; ;\n",
		base + " -- no newline",
		strings.Replace(base, "net", `"net"`, 1),
	} {
		if normal(same) != normal(base) {
			t.Errorf("another reading of the same statement: %s", same)
		}
		if text != plain {
			t.Errorf("%s is written as %s, want %s", same, text, plain)
		}
	}
	others := []string{
		base,
		strings.Replace(base, "1.50", "1.5", 1), // DECIMAL(2,1), not (3,2)
		strings.Replace(base, "1.50", "1.51", 1),
		strings.Replace(base, "1.50", "'1.50'", 1),
		strings.Replace(base, "AS n", "AS N", 1),
		strings.Replace(base, "AS n", "AS m", 1),
		strings.Replace(base, "count(*)", "count(mag)", 1),
		strings.Replace(base, "count(*)", "count(DISTINCT mag)", 1),
		strings.Replace(base, "sum", "avg", 1),
		strings.Replace(base, ">", ">=", 1),
		base + " ORDER BY net",
		base + " ORDER BY net DESC",
		base + " ORDER BY net NULLS FIRST",
		base + " LIMIT 5",
		base + " HAVING n > 2",
		"SELECT DISTINCT" + strings.TrimPrefix(base, "SELECT"),
		"SELECT 12345678901234567890123456789",
		"SELECT 12345678901234567890123456788",
		"SELECT 9007199254740993",
		"SELECT 9007199254740992",
		"SELECT 1.00000000000000000000000000000000001",
		"SELECT 1.00000000000000000000000000000000002",
		"SELECT 'a'", "SELECT 'A'", "SELECT 'a '", "SELECT 'a<b>&'",
		"SELECT CAST(1 AS DECIMAL(10,2))", "SELECT CAST(1 AS DECIMAL(10,3))", "SELECT TRY_CAST(1 AS DECIMAL(10,3))",
		"SELECT sum(x) OVER (ORDER BY y ROWS 1 PRECEDING) FROM t", "SELECT sum(x) OVER (ORDER BY y RANGE 1 PRECEDING) FROM t",
	}
	seen := map[string]string{}
	for _, sql := range others {
		n := normal(sql)
		if first, ok := seen[n]; ok {
			t.Errorf("%q and %q are told to be the same", first, sql)
		}
		seen[n] = sql
	}
	if n := normal("SELECT 12345678901234567890.5, 9007199254740993"); !strings.Contains(n, "9007199254740993") {
		t.Errorf("digits were lost: %s", n)
	}
}

func TestParseTellsWhatAStatementReads(t *testing.T) {
	e, _ := open(t, Options{})
	tests := []struct {
		sql            string
		tables         string
		columns        string
		star           bool
		tableFunctions string
	}{
		{sql: "SELECT net, count(*) FROM quakes q JOIN stations s USING (id) WHERE q.mag > 1 GROUP BY ALL", tables: "quakes stations", columns: "id mag net q"},
		{sql: "WITH a AS (SELECT x FROM t), b AS (SELECT x FROM a) SELECT x FROM B", tables: "t", columns: "x"},
		{sql: "WITH t AS (SELECT x FROM t) SELECT x FROM t", tables: "t", columns: "x"},
		{sql: "WITH a AS (SELECT x FROM b), b AS (SELECT 1 AS x) SELECT x FROM a", tables: "b", columns: "x"},
		{sql: "SELECT x FROM (WITH q AS (SELECT 1 AS x) SELECT x FROM q) UNION ALL SELECT x FROM q", tables: "q", columns: "x"},
		{sql: "SELECT x FROM t WHERE x IN (WITH t AS (SELECT 1 AS y) SELECT y FROM t)", tables: "t", columns: "x y"},
		{sql: "WITH a AS (SELECT 1 AS x) SELECT x FROM main.a", tables: `"main"."a"`, columns: "x"},
		{sql: "WITH a AS (WITH c AS (SELECT x FROM deep) SELECT x FROM c) SELECT x FROM a, c", tables: "c deep", columns: "x"},
		{sql: "WITH RECURSIVE r AS (SELECT x FROM t UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT x FROM r", tables: "t", columns: "x"},
		{sql: "WITH RECURSIVE r AS (SELECT x FROM r UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT x FROM r", tables: "r", columns: "x"},
		{sql: "WITH a AS (SELECT 1 AS x) SELECT (SELECT max(x) FROM a) + (SELECT max(y) FROM u)", tables: "u", columns: "x y"},
		{sql: "SELECT x FROM 'file.csv'", tables: "file.csv", columns: "x"},
		{sql: "SELECT x FROM Quakes JOIN QUAKES q2 USING (x)", tables: "QUAKES", columns: "x"},
		{sql: `SELECT "Mag", s.f.g FROM c."S".t`, tables: `"c"."S"."t"`, columns: "f g mag s"},
		{sql: "SELECT x FROM read_parquet('a') JOIN range(3) r(x) USING (x)", columns: "x", tableFunctions: "range read_parquet"},
		{sql: "SELECT * FROM t", tables: "t", star: true},
		{sql: "SELECT t.* FROM t", tables: "t", star: true},
		{sql: "SELECT COLUMNS('m.*') FROM t", tables: "t", star: true},
		{sql: "SELECT t FROM t", tables: "t", columns: "t", star: true},
		{sql: "SELECT to_json(q) FROM t AS q", tables: "t", columns: "q", star: true},
		{sql: "SELECT main.t FROM t", tables: "t", columns: "main t", star: true},
		{sql: "SELECT #1 FROM t", tables: "t", star: true},
		{sql: "SELECT a FROM t q(a, b)", tables: "t", columns: "a", star: true},
		{sql: "SELECT x FROM t NATURAL JOIN u", tables: "t u", columns: "x", star: true},
		{sql: "FROM t", tables: "t", star: true},
		{sql: "TABLE t", tables: "t", star: true},
		{sql: "SUMMARIZE t", tables: "t", star: true},
		{sql: "FROM (PIVOT t ON y IN (1, 2) USING sum(x) GROUP BY z)", tables: "t", columns: "x y z", star: true},
		{sql: "UNPIVOT t ON a, b INTO NAME n VALUE v", tables: "t", star: true},
		{sql: "SELECT count(*), count(*) OVER () FROM t", tables: "t"},
		{sql: "VALUES (1), (2)", star: true},
	}
	for _, tt := range tests {
		st, err := e.Parse(t.Context(), tt.sql)
		if err != nil {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		check := func(what string, got []string, want string) {
			if !slices.Equal(got, strings.Fields(want)) {
				t.Errorf("%s: %s %q, want %q", tt.sql, what, got, want)
			}
		}
		check("tables", st.Tables, tt.tables)
		check("columns", st.Columns, tt.columns)
		check("table functions", st.TableFunctions, tt.tableFunctions)
		if st.Star != tt.star {
			t.Errorf("%s: star %v, want %v", tt.sql, st.Star, tt.star)
		}
	}
}

func TestParseTakesOneSelectOnlyAndSaysWhatToWrite(t *testing.T) {
	e, _ := open(t, Options{})
	for sql, want := range map[string]string{
		"":                       "there is no SQL",
		" ; -- x":                "there is no SQL",
		"SELECT 1; SELECT 2":     "found 2 statements",
		"SELECT 1; DROP TABLE t": "another statement beside",
		"COPY (SELECT 1) TO 'x'": "found COPY:",
		"/* a */ -- b\n insert into t values (1)": "found INSERT:",
		"ATTACH 'x'":                      "found ATTACH:",
		"INSTALL httpfs":                  "found INSTALL:",
		"SET threads = 4":                 "found SET:",
		"PRAGMA version":                  "found PRAGMA:",
		"CALL pragma_version()":           "found CALL:",
		"EXPLAIN ANALYZE SELECT 1":        "found EXPLAIN:",
		"CREATE TABLE t AS SELECT 1":      "found CREATE:",
		"PIVOT t ON y USING sum(x)":       "IN ('a', 'b')",
		"SELECT ?":                        "parameters",
		"SELECT $1":                       "parameters",
		"SELECT $name":                    "parameters",
		"SELECT 1e400":                    "too large",
		"SELECT 1 \x00; DROP TABLE t":     "NUL",
		"SELECT 1) TO '/tmp/x'; --":       "line 1: syntax error at or near \")\"\n  SELECT 1) TO '/tmp/x'; --\n          ^",
		"SELECT a,\n\tb FRM t x y\nWHERE": "line 2: syntax error at or near \"t\"\n  \tb FRM t x y\n  \t      ^",
		"SELECT 1 /* open":                "unterminated",
		"SELECT 'open":                    "unterminated",
	} {
		_, err := e.Parse(t.Context(), sql)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", sql, err, want)
		}
	}
}

func TestTextIsTheStatementWithoutItsEnd(t *testing.T) {
	e, _ := open(t, Options{})
	for sql, want := range map[string]string{
		"SELECT 1":        "SELECT 1",
		"SELECT 1 ; -- x": "SELECT 1 ",
		"SELECT ';' ;":    "SELECT ';' ",
		"SELECT $$;$$, \";\" FROM (SELECT 1 AS \";\") /* ; */;;": "SELECT $$;$$, \";\" FROM (SELECT 1 AS \";\") /* ; */",
		"-- a;b\nSELECT 1": "-- a;b\nSELECT 1",
		"SELECT 1 -- a;b":  "SELECT 1 -- a",
	} {
		st, err := e.Parse(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if st.Text != want {
			t.Errorf("%s: text %q, want %q", sql, st.Text, want)
		}
	}
}
