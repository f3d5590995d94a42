package objstore_test

import (
	"errors"
	"testing"

	"strandline/internal/objstore"
)

func TestMemoryRefusesAKeyThatIsAFolderOfAnother(t *testing.T) {
	store := objstore.NewMemory()
	for _, key := range []string{"a/b/c", "x", "a/b-c"} {
		if err := store.Create(t.Context(), key, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"a", "a/b", "a/b/c/d", "x/y/z"} {
		if err := store.Create(t.Context(), key, nil); !errors.Is(err, objstore.ErrBadKey) {
			t.Errorf("create %s: got %v, want ErrBadKey", key, err)
		}
	}
	for _, key := range []string{"a/bb", "xy", "a/b-", "a/b0/c"} {
		if err := store.Create(t.Context(), key, nil); err != nil {
			t.Errorf("create %s: %v", key, err)
		}
	}
}
