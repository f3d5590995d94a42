package objstore

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

const keptKey = "kept/by-digest"

var keptBody = []byte("the very bytes")

// holdsKept checks that the store has the bytes.
func holdsKept(t *testing.T, when string, s Store) {
	t.Helper()
	if found, err := s.Read(t.Context(), keptKey); err != nil || !bytes.Equal(found, keptBody) {
		t.Errorf("%s: the store has %q, %v", when, found, err)
	}
}

// What is damaged is written anew, and what is there is left alone.
func TestWhatIsKeptIsThereWhateverWasThereBefore(t *testing.T) {
	for when, before := range map[string][]byte{"nothing": nil, "the same": keptBody, "empty": {}, "cut off": keptBody[:5], "changed": []byte("the vary bytes"), "more": []byte("the very bytes, and more")} {
		s := NewMemory()
		if before != nil {
			if err := s.Create(t.Context(), keptKey, before); err != nil {
				t.Fatal(err)
			}
		}
		counted := NewFault(s, nil)
		if err := Keep(t.Context(), counted, keptKey, keptBody); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		holdsKept(t, when, s)
		if removed := counted.Calls(OpDelete) > 0; removed != (before != nil && !bytes.Equal(before, keptBody)) {
			t.Errorf("%s: it was removed: %t", when, removed)
		}
	}
}

// Whatever call goes wrong, nil is said only of what is there, and keeping it again brings it there.
func TestWhatIsKeptIsThereWhateverGoesWrong(t *testing.T) {
	for _, before := range [][]byte{nil, keptBody, keptBody[:5]} {
		for _, action := range []Action{Fail, LoseAnswer} {
			for broken := range 4 {
				s, n := NewMemory(), -1
				if before != nil {
					_ = s.Create(t.Context(), keptKey, before)
				}
				faulty := NewFault(s, func(Op, string) Action {
					if n++; n == broken {
						return action
					}
					return Pass
				})
				if err := Keep(t.Context(), faulty, keptKey, keptBody); err == nil {
					holdsKept(t, "after success", s)
				} else if !errors.Is(err, ErrFault) {
					t.Errorf("call %d of what was %q: %v", broken, before, err)
				}
				if err := Keep(t.Context(), s, keptKey, keptBody); err != nil {
					t.Errorf("again: %v", err)
				}
				holdsKept(t, "again", s)
			}
		}
	}
}

// Where another writes other bytes there again and again, that is told by name.
func TestWhatStaysDamagedIsTold(t *testing.T) {
	s := NewMemory()
	_ = s.Create(t.Context(), keptKey, keptBody[:5])
	stubborn := NewFault(s, func(op Op, _ string) Action {
		if op == OpDelete {
			return Pass
		}
		_ = s.Create(t.Context(), keptKey, keptBody[:5])
		return Pass
	})
	if err := Keep(t.Context(), stubborn, keptKey, keptBody); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), keptKey) {
		t.Errorf("got %v", err)
	}
}

// Any number may mend it at once.
func TestWhatIsDamagedIsMendedByManyAtOnce(t *testing.T) {
	for range 20 {
		s := NewMemory()
		_ = s.Create(t.Context(), keptKey, keptBody[:5])
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := Keep(context.Background(), s, keptKey, keptBody); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		holdsKept(t, "by many", s)
	}
}
