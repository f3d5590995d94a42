package config

import "testing"

func TestVariablesAreExpandedAsInAShell(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "1", "EMPTY": "", "DOLLAR": "${A}"}[name]
		return v, ok
	}
	for text, want := range map[string]string{
		"":                     "",
		"a$b $ $":              "a$b $ $",
		"$$":                   "$",
		"$${A}":                "${A}",
		"$$$$":                 "$$",
		"${A}${A}x":            "11x",
		"${A:-2}":              "1",
		"${NONE:-2}":           "2",
		"${EMPTY:-2}":          "2",
		"${EMPTY}":             "",
		"${NONE:-}":            "",
		"${NONE:-a:-b}":        "a:-b",
		"${NONE:-$1}":          "$1",
		"${DOLLAR}":            "${A}", // a value is never expanded again
		"s3://${A}/${NONE:-b}": "s3://1/b",
	} {
		if got, err := expand(text, env); err != nil || got != want {
			t.Errorf("%q becomes %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"${", "${}", "${A", "${NONE}", "${A-2}", "${1A}", "${A:-${A}}", "${:-x}", "x ${A} ${NONE}"} {
		if got, err := expand(text, env); err == nil {
			t.Errorf("%q becomes %q; want an error", text, got)
		}
	}
}

func TestDistanceCountsSlipsOfTheHand(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"colums", "columns", 1},
		{"form", "from", 1}, {"fromat", "format", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != got {
			t.Errorf("%q to %q is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
