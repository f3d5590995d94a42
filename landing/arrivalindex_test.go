package landing

import (
	"testing"

	"pgregory.net/rapid"
)

// Arrivals that happen to have the same number are told apart, and of those that are
// the same the newest is found.
func TestAnIndexTellsArrivalsOfOneNumberApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "ab", "bc", "abc"})).Draw(t, "names")
		number := func(name string) uint64 { return uint64(len(name)) }
		x := newArrivalIndex(0)
		newest := map[string]int{}
		for i, name := range names {
			x.add(number(name))
			newest[name] = i
		}
		for _, name := range []string{"a", "b", "c", "ab", "bc", "abc", "none"} {
			want, known := newest[name]
			at, found := x.find(number(name), func(at int) bool { return names[at] == name })
			if found != known || found && at != want {
				t.Fatalf("of %q %q is found at %d, %v, want %d, %v", names, name, at, found, want, known)
			}
		}
	})
}
