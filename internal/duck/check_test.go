package duck

import (
	"strings"
	"testing"
)

func TestOnlyInputsAreRead(t *testing.T) {
	e, _ := open(t, Options{})
	for sql, want := range map[string]string{
		"SELECT * FROM quakes":                 "",
		"SELECT * FROM QUAKES q, \"Stations\"": "",
		"SELECT i, unnest([1]) FROM range(3) r(i), unnest([1]), generate_series(1, 2)": "",
		"WITH a AS (FROM quakes) FROM a":                                               "",
		"DESCRIBE quakes":                                                              "",
		"SUMMARIZE quakes":                                                             "",
		"SELECT * FROM others":                                                         `table "others" is not an input (inputs here: quakes, stations)`,
		"SELECT (SELECT max(x) FROM others) FROM quakes":                               `table "others"`,
		"SELECT * FROM main.quakes":                                                    `write "quakes"`,
		"SELECT * FROM temp.main.quakes":                                               `write "quakes"`,
		"SELECT * FROM duckdb_tables":                                                  "not an input",
		"SELECT * FROM sqlite_master":                                                  "not an input",
		"SELECT * FROM 'file.csv'":                                                     "relation 'file.csv': SQL can't read files; land the file",
		"SELECT * FROM \"/etc/passwd\"":                                                "can't read files",
		"SELECT * FROM 's3://bucket/x.parquet'":                                        "can't read files",
		"SELECT * FROM read_parquet('x.parquet')":                                      "read_parquet() in FROM",
		"SELECT * FROM quakes WHERE x IN (FROM read_csv('x'))":                         "read_csv() in FROM",
		"SELECT * FROM READ_TEXT('x')":                                                 "read_text() in FROM",
		"SELECT * FROM glob('*')":                                                      "glob() in FROM",
		"SELECT * FROM duckdb_settings()":                                              "duckdb_settings() in FROM",
		"SELECT * FROM duckdb_secrets()":                                               "duckdb_secrets() in FROM",
		"SELECT * FROM pragma_version()":                                               "pragma_version() in FROM",
		"SELECT * FROM query('FROM others')":                                           "query() in FROM",
		"SELECT * FROM query_table('others')":                                          "query_table() in FROM",
		"SELECT getenv('HOME')":                                                        "getenv() reads more than its arguments: write the value itself",
		"SELECT current_setting('threads')":                                            "current_setting()",
		"SELECT getvariable('x')":                                                      "getvariable()",
		"SELECT main.current_setting('threads')":                                       "current_setting()",
		"SELECT ('threads').current_setting()":                                         "current_setting()",
		"SELECT max(nextval('s')) OVER ()":                                             "nextval()",
		"SELECT [current_setting(x) FOR x IN ['threads']]":                             "current_setting()",
		"DESCRIBE others":                                                              `table "others"`,
		"SHOW others":                                                                  `table "others"`,
		"SUMMARIZE others":                                                             `table "others"`,
		"SELECT * FROM range((SELECT max(x) FROM others))":                             `table "others"`,
		"SELECT x FROM quakes, quakes.list":                                            "schema",
		"SHOW TABLES":                                                                  "SHOW lists",
		"SHOW ALL TABLES":                                                              "followed by an input's name (inputs here: quakes, stations)",
		"SELECT * FROM information_schema.tables":                                      `"tables" is not an input (inputs here: quakes, stations)`,
	} {
		st, err := e.Parse(t.Context(), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		err = st.CheckInputs([]string{"quakes", "stations"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", sql, err, want)
		}
	}
}

func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	e, _ := open(t, Options{})
	st, err := e.Parse(t.Context(), "SELECT getenv('a') FROM x, read_text('y')")
	if err != nil {
		t.Fatal(err)
	}
	err = st.CheckInputs([]string{"quakes"})
	for _, want := range []string{"getenv", `"x"`, "read_text"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// TestNoTableFunctionOfTheEngineIsForgotten holds CheckInputs to the list of
// functions the engine really has.
func TestNoTableFunctionOfTheEngineIsForgotten(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	list := one(t, s, "SELECT string_agg(DISTINCT function_name, ' ') FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')")
	names := strings.Fields(list.(string))
	if len(names) < 50 {
		t.Fatalf("only %d table functions", len(names))
	}
	for _, name := range names {
		if refused := tableFunctionProblem(name) != nil; refused == tableFunctionNames[name] {
			t.Errorf("%s: refused is %v", name, refused)
		}
	}
}
