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
		var x arrivalIndex
		length := func(a *Arrival) uint64 { return uint64(len(a.Name)) }
		var arrivals []Arrival
		newest := map[string]int64{}
		for i, name := range names {
			arrivals = append(arrivals, Arrival{Name: name, Rejects: int64(i)})
			newest[name] = int64(i)
			if i%3 == 0 { // it grows by one, by some or by all at once
				x.find(arrivals, length, 0, func(*Arrival) bool { return true })
			}
		}
		for _, name := range []string{"a", "b", "c", "ab", "bc", "abc", "none"} {
			want, known := newest[name]
			a, found := x.find(arrivals, length, uint64(len(name)), func(a *Arrival) bool { return a.Name == name })
			if found != known || found && a.Rejects != want {
				t.Fatalf("of %q %q is found as %v, %v, want the one at %d, %v", names, name, a, found, want, known)
			}
		}
	})
}
