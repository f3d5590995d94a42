package landing

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"strandline/internal/objstore"
)

// postKey lands a post without rows, whose key is kept for a day.
func postKey(s *Stream, name string) error {
	_, err := claim(s, "http", Claim{Keys: []Key{{Digest: keyOf(name)}}})
	return err
}

// A writer whose clock is wrong, or is set while it runs, neither forgets other writers'
// keys nor lets its own be forgotten.
func TestKeysAreKeptByTheStoresClock(t *testing.T) {
	for name, wrong := range map[string]time.Duration{"ahead": 50 * time.Hour, "behind": -50 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := objstore.NewMemory()
				var off time.Duration
				skewed := open(t, store, Options{Now: func() time.Time { return time.Now().Round(0).Add(off) }})
				right := open(t, store, Options{})
				for i, key := range []string{"a", "b", "c"} {
					off = []time.Duration{0, wrong, -wrong}[i]
					check(t, postKey(right, "right "+key))
					check(t, postKey(skewed, "skewed "+key))
					time.Sleep(time.Hour)
				}
				time.Sleep(19 * time.Hour)
				check(t, postKey(right, "the last"))
				for _, key := range []string{"right a", "skewed a", "right b", "skewed b", "right c", "skewed c"} {
					if err := postKey(right, key); !errors.Is(err, ErrKeysLanded) {
						t.Errorf("key %q was forgotten within a day: %v", key, err)
					}
				}
				time.Sleep(9 * time.Hour)
				check(t, postKey(right, "of another day"))
				if err := postKey(right, "skewed c"); err != nil {
					t.Errorf("a key was not forgotten: %v", err)
				}
			})
		})
	}
}

// The store's clock is read once an hour, and not for arrivals without keys.
func TestTheStoresClockIsReadNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		store := objstore.NewFault(objstore.NewMemory(), func(op objstore.Op, key string) objstore.Action {
			if op == objstore.OpCreate && !strings.Contains(key, "/log/") {
				reads++
			}
			return objstore.Pass
		})
		s := open(t, store, Options{})
		landNth(t, s, 0)
		for i, want := range []int{1, 1, 2, 2, 3} {
			check(t, postKey(s, string(rune('a'+i))))
			if reads != want {
				t.Errorf("after post %d it was read %d times, want %d", i, reads, want)
			}
			time.Sleep(31 * time.Minute)
		}
	})
}

// Where the store's clock can't be read, keys are refused and all else lands.
func TestWithoutTheStoresClockNoKeyLands(t *testing.T) {
	store := objstore.NewFault(objstore.NewMemory(), func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && !strings.Contains(key, "/log/") {
			return objstore.Fail
		}
		return objstore.Pass
	})
	s := open(t, store, Options{})
	if err := postKey(s, "a"); !errors.Is(err, ErrNoClock) {
		t.Errorf("it landed with a key: %v", err)
	}
	landNth(t, s, 0)
	if s.Next() != 1 {
		t.Errorf("%d rows landed, want 1", s.Next())
	}
}
