package duck

import (
	"errors"
	"fmt"
	"strings"
)

// CheckInputs refuses a statement that reads anything but the relations
// allowed (compared as the engine does, without regard to case): other
// tables, files, settings, secrets, the catalog. All that is wrong is said in
// one error, with what to write instead.
func (st *Statement) CheckInputs(allowed []string) error {
	inputs := map[string]bool{}
	addFolded(inputs, allowed...)
	var problems []error
	for _, name := range st.Tables {
		problems = append(problems, st.found.tableProblem(name, inputs, allowed))
	}
	for _, name := range st.TableFunctions {
		problems = append(problems, tableFunctionProblem(name))
	}
	for _, name := range st.Functions {
		problems = append(problems, functionProblem(name))
	}
	for _, kind := range sorted(st.found.shows) {
		problems = append(problems, showProblem(kind, allowed))
	}
	return errors.Join(problems...)
}

func (f *findings) tableProblem(name string, inputs map[string]bool, allowed []string) error {
	for t := range f.tables {
		if t.String() != name || !t.qualified() {
			continue
		}
		if !inputs[fold(t.name)] {
			return fmt.Errorf("table %s is not an input (inputs here: %s), and none of these has a schema before its name", name, strings.Join(allowed, ", "))
		}
		return fmt.Errorf("table %s: an input has no schema before its name: write %s", name, Ident(t.name))
	}
	switch {
	case inputs[fold(name)]:
		return nil
	case strings.ContainsAny(name, "./\\:*?["):
		return fmt.Errorf("relation %s: SQL can't read files; land the file in a stream and read that (inputs here: %s)", Literal(name), strings.Join(allowed, ", "))
	}
	return fmt.Errorf("table %s is not an input (inputs here: %s)", Ident(name), strings.Join(allowed, ", "))
}

func tableFunctionProblem(name string) error {
	if tableFunctionNames[name] {
		return nil
	}
	return fmt.Errorf("function %s() in FROM reads what is not an input: use an input, or one of range(), generate_series(), unnest(), json_each() and json_tree()", name)
}

// refusedFunctions read what is not an argument of theirs: the name or, with *
// at its end, its beginning, and what to write instead.
var refusedFunctions = []struct{ name, instead string }{
	{"read_*", "land the file in a stream and read that"},
	{"parquet_*", "land the file in a stream and read that"},
	{"glob", "land the files in a stream and read that"},
	{"sniff_csv", "land the file in a stream and read that"},
	{"getenv", "write the value itself"},
	{"getvariable", "write the value itself"},
	{"current_setting", "write the value itself"},
	{"which_secret", "no secret is known here"},
	{"query", "write the query itself"},
	{"query_table", "name the input in FROM"},
	{"json_execute_serialized_sql", "write the query itself"},
	{"duckdb_*", "the engine's catalog is not an input"},
	{"pragma_*", "the engine's catalog is not an input"},
	{"pg_*", "the engine's catalog is not an input"},
	{"has_*_privilege", "the engine's catalog is not an input"},
	{"current_database", "the engine's catalog is not an input"},
	{"current_schema", "the engine's catalog is not an input"},
	{"current_schemas", "the engine's catalog is not an input"},
	{"current_query", "write the text itself"},
	{"in_search_path", "the engine's catalog is not an input"},
	{"nextval", "number rows with row_number() over a total order"},
	{"currval", "number rows with row_number() over a total order"},
	{"write_log", "SQL only reads"},
	{"sleep_ms", "leave it out"},
	{"export_state", "write the aggregate's result"},
}

func functionProblem(name string) error {
	for _, refused := range refusedFunctions {
		if matches(refused.name, name) {
			return fmt.Errorf("function %s() reads more than its arguments: %s", name, refused.instead)
		}
	}
	return nil
}

// matches tells whether name is the pattern, in which one * stands for any text.
func matches(pattern, name string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

func showProblem(kind string, inputs []string) error {
	if kind == "DESCRIBE" || kind == "SUMMARY" {
		return nil
	}
	return fmt.Errorf("SHOW lists the engine's catalog, which is not an input: use DESCRIBE followed by an input's name (inputs here: %s)", strings.Join(inputs, ", "))
}
