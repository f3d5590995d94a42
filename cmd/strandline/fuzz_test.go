package main

import (
	"strconv"
	"strings"
	"testing"

	"strandline/manifests"
)

// FuzzAVersionIsTheOneThatWasAskedFor reads what people write after --at.
func FuzzAVersionIsTheOneThatWasAskedFor(f *testing.F) {
	for _, s := range []string{"12", "events=12", "=1", "a=b=3", "-1", "+1", "0x10", "1_000", "18446744073709551616"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := parseVersions([]string{s})
		if err != nil {
			return
		}
		table, number, named := strings.Cut(s, "=")
		if !named {
			number = s
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Fatalf("%q was accepted as %+v", s, v)
		}
		if named && v.named[table] != manifests.Version(n) || !named && (v.all == nil || *v.all != manifests.Version(n)) {
			t.Fatalf("%q reads as %+v", s, v)
		}
	})
}
