package objstore_test

import (
	"testing"
	"time"

	"strandline/internal/objstore"
)

func TestAnObjectOfUnknownAgeIsNotOld(t *testing.T) {
	then := time.Unix(1000, 0)
	for modified, want := range map[time.Time]bool{{}: false, time.Unix(999, 0): true, then: false, time.Unix(1001, 0): false} {
		if got := (objstore.Object{Modified: modified}).OlderThan(then); got != want {
			t.Errorf("an object of %v is older than %v: got %v", modified, then, got)
		}
	}
}
