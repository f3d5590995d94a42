package window

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"strandline/manifests"
)

func TestADiffTellsBothTexts(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\nc\nd\ne", "a\nb\nx\nd\ne", "…/  b/- c/+ x/  d/…"},
		{"a", "a\nb", "  a/+ b"},
		{"b", "a\nb", "+ a/  b"},
		{"a\nb\nc\nd\ne\nf", "b\nc\nd\ne\nf\ng", "- a/  b/…/  f/+ g"},
		{"a\na", "a", "  a/- a"},
		{"a", "", "- a/+ "},
	} {
		if got := strings.Join(lineDiff(c.before, c.after), "/"); got != c.want {
			t.Errorf("%q and %q: got %s, want %s", c.before, c.after, got, c.want)
		}
	}
	long := strings.Repeat("x\ny\n", mostCompared/512)
	if lines := lineDiff("a\n"+long+"b", "c\n"+long+long+"d"); differing(lines) == 0 {
		t.Error("of texts that are too long to compare no difference is told")
	}
}

// What a diff tells, applied to the old text, makes the new one; and it is as short as
// can be, by a model that tries everything.
func TestADiffIsTrueAndShort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		a, b := randomLines(random), randomLines(random)
		var old, current []string
		for _, line := range middle(a, b) {
			if line[0] != '+' {
				old = append(old, line[2:])
			}
			if line[0] != '-' {
				current = append(current, line[2:])
			}
		}
		if !slices.Equal(old, a) || !slices.Equal(current, b) {
			t.Fatalf("of %q and %q it tells %q and %q", a, b, old, current)
		}
		if got, want := differing(middle(a, b)), fewest(a, b); got != want {
			t.Fatalf("%q and %q: %d lines differ, want %d", a, b, got, want)
		}
	}
}

func randomLines(random *rand.Rand) []string {
	lines := make([]string, random.IntN(7))
	for i := range lines {
		lines[i] = string(rune('a' + random.IntN(3)))
	}
	return lines
}

// fewest counts the lines that must differ, by trying all ways.
func fewest(a, b []string) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return fewest(a[1:], b[1:])
	}
	return 1 + min(fewest(a[1:], b), fewest(a, b[1:]))
}

func TestSQLOnOneLineIsBrokenWhereAClauseBegins(t *testing.T) {
	const sql = `WITH a AS (SELECT b, max(c, d) AS e FROM t WHERE (f = 'x, FROM y')) SELECT g, "SELECT h" FROM a LEFT JOIN (SELECT 1, 2) ORDER BY g, i`
	want := []string{
		"WITH a AS (", "SELECT b,", "max(c, d) AS e", "FROM t", "WHERE (f = 'x, FROM y'))",
		"SELECT g,", `"SELECT h"`, "FROM a", "LEFT JOIN (", "SELECT 1,", "2)", "ORDER BY g, i",
	}
	if got := strings.Split(clauses(sql), "\n"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, odd := range []string{"", "'", `SELECT "`, ")", "))((,", "SELECT ", "SELECT a,"} {
		if got := strings.Join(strings.Fields(clauses(odd)), ""); got != strings.Join(strings.Fields(odd), "") {
			t.Errorf("%q became %q", odd, got)
		}
	}
}

func TestWhatOfACodeChangedIsTold(t *testing.T) {
	code := func(sql string, parts ...string) manifests.Definition {
		d := manifests.Definition{SQL: sql}
		for _, p := range parts {
			name, value, _ := strings.Cut(p, "=")
			d.Parts = append(d.Parts, manifests.Part{Name: name, Value: value})
		}
		return d
	}
	old := code("SELECT a,\n  b\nFROM t", "engine=1", "sql=SELECT a, b FROM t", "window=1h", "dedup keep=last")
	for _, c := range []struct {
		now  manifests.Definition
		want []Change
	}{
		{old, nil},
		{code("anything"), nil}, // not recorded
		{code("SELECT  a,b FROM t", "engine=1", "sql=SELECT a, b FROM t", "window=2h", "dedup keep=last"), []Change{{Part: "window", Old: "1h", New: "2h"}}},
		{code(old.SQL, "engine=2", "sql=SELECT a, b FROM t", "window=1h", "column c=DOUBLE"), []Change{
			{Part: "engine", Old: "1", New: "2"}, {Part: "column c", New: "DOUBLE"}, {Part: "dedup keep", Old: "last"},
		}},
		{code("SELECT a,\n  c\nFROM t", "engine=1", "sql=SELECT a, c FROM t", "window=1h", "dedup keep=last"), []Change{
			{Part: "sql", Old: old.SQL, New: "SELECT a,\n  c\nFROM t", Lines: []string{"  SELECT a,", "-   b", "+   c", "  FROM t"}},
		}},
		// Laid out anew, the text says less than what the engine makes of it.
		{code("SELECT a, c\nFROM\nt", "engine=1", "sql=SELECT a, c FROM t", "window=1h", "dedup keep=last"), []Change{
			{Part: "sql", Old: "SELECT a, b FROM t", New: "SELECT a, c FROM t", Lines: []string{"  SELECT a,", "- b", "+ c", "  FROM t"}},
		}},
		// Read otherwise by another engine.
		{code(old.SQL, "engine=2", "sql=SELECT a, b::INT FROM t", "window=1h", "dedup keep=last"), []Change{
			{Part: "engine", Old: "1", New: "2"},
			{Part: "sql", Old: "SELECT a, b FROM t", New: "SELECT a, b::INT FROM t", Lines: []string{"  SELECT a,", "- b", "+ b::INT", "  FROM t"}},
		}},
	} {
		if got := Changes(old, c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("to %+v:\ngot  %+v\nwant %+v", c.now, got, c.want)
		}
	}
}
