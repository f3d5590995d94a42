package duck

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// catalogue returns the folded names of the engine's functions for which the
// condition holds.
func catalogue(t *testing.T, s *Session, condition string) map[string]bool {
	t.Helper()
	list, _ := one(t, s, "SELECT string_agg(DISTINCT lower(function_name), ' ') FROM duckdb_functions() WHERE "+condition).(string)
	names := map[string]bool{}
	addFolded(names, strings.Fields(list)...)
	return names
}

// rewritten are names that the parser or binder makes something else of, so
// that no function has them.
var rewritten = []string{"coalesce", "!", "->", "unnest", "first_value", "last_value", "nth_value"}

func TestEveryAllowedFunctionExists(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	for _, list := range []struct {
		types   string
		allowed map[string]bool
	}{
		{"'scalar', 'macro'", scalarNames},
		{"'table', 'table_macro'", tableFunctionNames},
		{"'aggregate'", setOf(maps.Keys(aggregateKinds))},
		{"'aggregate'", setOf(maps.Keys(allowedWindows))},
	} {
		known := catalogue(t, s, "function_type IN ("+list.types+")")
		for name := range list.allowed {
			if !known[name] && !slices.Contains(rewritten, name) {
				t.Errorf("%s is allowed, and the engine has no such function (%s)", name, list.types)
			}
		}
	}
}

func setOf(names func(func(string) bool)) map[string]bool {
	set := map[string]bool{}
	for name := range names {
		set[name] = true
	}
	return set
}

// The engine is built in, so what holds of its catalogue here holds wherever it runs.
func TestNoVolatileFunctionIsAllowed(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	volatile := catalogue(t, s, "stability IN ('VOLATILE', 'CONSISTENT_WITHIN_QUERY')")
	if len(volatile) < 15 {
		t.Fatalf("only %d volatile functions", len(volatile))
	}
	for name := range volatile {
		if allowedName(name) || tableFunctionNames[name] {
			t.Errorf("%s is volatile, and allowed", name)
		}
	}
}

// TestFunctionsMarkedConsistentThatAreNotAreRefused holds the traps of the
// catalogue: what it says of these is wrong, or nothing.
func TestFunctionsMarkedConsistentThatAreNotAreRefused(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	consistent := catalogue(t, s, "coalesce(stability, 'CONSISTENT') = 'CONSISTENT'")
	for _, name := range strings.Fields(`current_localtime current_localtimestamp current_setting getvariable reservoir_quantile
		approx_top_k approx_quantile mode entropy bitstring_agg create_sort_key icu_sort_key ago json_group_array current_user`) {
		if !consistent[name] {
			t.Errorf("the catalogue has changed its mind about %s", name)
		}
		if allowedName(name) {
			t.Errorf("%s is allowed", name)
		}
	}
}

// TestNoNameIsAllowedTwice keeps the lists readable.
func TestNoNameIsAllowedTwice(t *testing.T) {
	seen := map[string]string{}
	lists := append(slices.Clone(allowedScalars), allowedTableFunctions...)
	for _, a := range slices.Concat(lists, slices.Collect(maps.Values(allowedAggregates))) {
		for _, name := range strings.Fields(a.names) {
			if other, twice := seen[name]; twice && !slices.Contains([]string{"range", "generate_series", "unnest"}, name) {
				t.Errorf("%s is in %q and in %q", name, other, a.why)
			}
			seen[name] = a.why
		}
	}
}

// TestAdviceIsForRefusedFunctionsOnly finds advice that nobody can get.
func TestAdviceIsForRefusedFunctionsOnly(t *testing.T) {
	for _, a := range functionAdvice {
		for _, name := range a.names {
			if allowedName(name) && name != "repeat" { // refused in FROM only
				t.Errorf("advice on %s, which is allowed", name)
			}
		}
	}
}

func TestRefusalsCountLinesAndCharacters(t *testing.T) {
	e, _ := open(t, Options{})
	err := checkSQL(t, e, "SELECT 'äöü€' AS a, random() AS r,\n\tnow() AS n FROM events")
	for _, want := range []string{"line 1, column 21: random()", "line 2, column 2: now()"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}
