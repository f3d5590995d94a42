package localfile

import (
	"os"
	"testing"
)

// What clears old files away from a folder for temporary ones takes copies with it.
func TestACopyThatSomethingRemovedIsFetchedAgain(t *testing.T) {
	c := New(store(t, "body"), t.TempDir(), DefaultMaxBytes)
	for range 2 {
		path, release, err := c.Get(t.Context(), "a/b")
		if err != nil {
			t.Fatal(err)
		}
		if body, err := os.ReadFile(path); err != nil || string(body) != "body" {
			t.Fatalf("%q, %v", body, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		defer release()
	}
}
