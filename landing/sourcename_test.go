package landing

import (
	"testing"
	"testing/quick"
	"unicode/utf8"
)

func TestEverySourceGetsANameInUTF8(t *testing.T) {
	for name, want := range map[string]string{
		"":              "",
		"café.ndjson":   "café.ndjson",
		`a\b`:           `a\b`,
		`a\xe9`:         `a\xe9`,
		`a\x41`:         `a\x41`,
		"\uFFFD":        "\uFFFD",
		"caf\xe9":       `caf\xE9`,
		`caf\xE9`:       `caf\\xE9`,
		"a\\\xff\xfe":   `a\\\xFF\xFE`,
		"\xed\xa0\x80é": `\xED\xA0\x80é`,
	} {
		if got := SourceName(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

// Names are made of what escapes are made of, so that they come near each other.
func TestNoTwoSourcesGetOneName(t *testing.T) {
	parts := []string{`\`, `\x`, "x", "E", "9", "\xe9", "\x80", "é", `\xE9`}
	before := map[string]string{}
	check := func(picks []byte) bool {
		name := ""
		for _, p := range picks[:min(len(picks), 6)] {
			name += parts[int(p)%len(parts)]
		}
		as := SourceName(name)
		other, taken := before[as]
		before[as] = name
		return utf8.ValidString(as) && (!taken || other == name)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}
