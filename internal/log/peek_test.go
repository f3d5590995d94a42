package log

import (
	"testing"

	"strandline/internal/objstore"
)

func TestAPeekSeesWhatWasAppendedSinceTheLastReading(t *testing.T) {
	for name, wrap := range map[string]func(Store) Store{
		"listing": func(s Store) Store { return s },
		"looking": func(s Store) Store { return looking{s} },
	} {
		store := objstore.NewFault(objstore.NewMemory(), nil)
		f := followShort(wrap(store))
		peeks := func(want bool) {
			t.Helper()
			if more, err := f.Peek(t.Context()); err != nil || more != want {
				t.Errorf("%s: there is more: %t, %v; want %t", name, more, err, want)
			}
		}
		peeks(true) // for nothing was read
		grow(t, store, 3)
		reads(t, f, 3)
		before := store.Calls(objstore.OpList) + store.Calls(objstore.OpRead)
		peeks(false)
		if n := store.Calls(objstore.OpList) + store.Calls(objstore.OpRead) - before; n > 1 {
			t.Errorf("%s: a peek took %d calls", name, n)
		}
		grow(t, store, 4)
		peeks(true)
	}
}
