package log

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"strandline/internal/objstore"
)

func FuzzACheckpointIsWholeOrRefused(f *testing.F) {
	good, err := encodeCheckpoint(Head{Number: 100}, &values{List: []string{"a"}}, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, format := range []int{2, 3} {
		old := fmt.Appendf(nil, `{"format":%d,"number":100}`, format)
		f.Add(slices.Concat(old, rawSum(format, old)))
		old = append(old, "\n[]"...)
		f.Add(slices.Concat(old, rawSum(format, old)))
	}
	f.Add([]byte(`{"format":5,"number":100}`))
	f.Add(rawSeal([]byte("{\"format\":4,\"number\":100}\n[]")))
	f.Add(rawSeal([]byte(`{"format":4,"number":100}`)))
	f.Fuzz(func(t *testing.T, object []byte) {
		store := objstore.NewMemory()
		l := New(store, "t", Options{})
		if err := store.Create(t.Context(), l.checkpointKey(100), object); err != nil {
			t.Fatal(err)
		}
		c, err := l.readCheckpoint(t.Context(), 100)
		_, sealed := unsealRaw(c.Format, object)
		switch {
		case err == nil && (c.Number != 100 || sealed != nil):
			t.Fatalf("accepted checkpoint %d with seal %v", c.Number, sealed)
		case err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer):
			t.Fatalf("an error without a name: %v", err)
		}
	})
}

func FuzzANameIsThatOfOneEntry(f *testing.F) {
	l := New(objstore.NewMemory(), "t", Options{})
	f.Add(l.key(1))
	f.Add(l.key(1<<64 - 1))
	f.Add("t/log/0000000000000000001a.json")
	f.Add("t/log/+0000000000000000001.json")
	f.Add("t/log/99999999999999999999.json")
	f.Fuzz(func(t *testing.T, key string) {
		n, err := number("t/log/"+key, entrySuffix)
		if err == nil && !(len(key) >= 25 && l.key(n)[len("t/log/"):] == key[len(key)-25:]) {
			t.Fatalf("%q is taken for entry %d, whose name is %s", key, n, l.key(n))
		}
	})
}
