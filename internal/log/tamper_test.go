package log_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"strandline/internal/log"
	"strandline/internal/log/logtest"
	"strandline/internal/objstore"
)

// numbers is a state that keeps what was appended.
type numbers struct{ List []int }

func (n *numbers) Apply(e log.Entry) error {
	var value int
	err := json.Unmarshal(e.Body, &value)
	n.List = append(n.List, value)
	return err
}

func (n *numbers) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(n)
	return append(b, text...), err
}

func (n *numbers) UnmarshalBinary(data []byte) error { return json.Unmarshal(data, n) }

func openNumbers(ctx context.Context, store objstore.Store) (string, error) {
	f := log.Follow(log.New(store, "t", log.Options{}), func() *numbers { return &numbers{} })
	if err := f.Refresh(ctx); err != nil {
		return "", err
	}
	var text []byte
	var err error
	f.View(func(n *numbers, _ log.Head) { text, err = json.Marshal(n) })
	return string(text), err
}

// FuzzADamagedLogIsCorruptOrAsItWas damages a log of 2 checkpoints and 207
// entries. Opening it must never show another state.
func FuzzADamagedLogIsCorruptOrAsItWas(f *testing.F) {
	store := numbered(f, 207)
	objects, err := logtest.Take(f.Context(), store, "t")
	if err != nil {
		f.Fatal(err)
	}
	want, err := openNumbers(f.Context(), store)
	if err != nil {
		f.Fatal(err)
	}
	logtest.Seeds(f)
	f.Fuzz(func(t *testing.T, kind uint8, which, other, at uint16, value byte) {
		logtest.Check(t, objects, want, openNumbers, logtest.Tampering{Kind: kind, Which: which, Other: other, At: at, Value: value})
	})
}

// An entry that is sound in itself, but of a log that went another way, as one
// that was restored from elsewhere is.
func TestAnEntryOfAnotherHistoryIsFoundOut(t *testing.T) {
	stores := []*objstore.Memory{numbered(t, 3), numbered(t, 3)}
	const last = "t/log/00000000000000000003.json"
	body, err := stores[0].Read(t.Context(), last)
	if err == nil {
		err = errors.Join(stores[1].Delete(t.Context(), last), stores[1].Create(t.Context(), last, body))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openNumbers(t.Context(), stores[1]); !errors.Is(err, log.ErrCorrupt) {
		t.Fatalf("got %v, want ErrCorrupt", err)
	}
}

// numbered is a store with a log of that many entries.
func numbered(t testing.TB, entries int) *objstore.Memory {
	t.Helper()
	store := objstore.NewMemory()
	follower := log.Follow(log.New(store, "t", log.Options{}), func() *numbers { return &numbers{} })
	for i := range entries {
		if _, err := follower.Commit(t.Context(), func(*numbers) (any, error) { return i, nil }); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// Nothing follows the newest entry and the newest checkpoint, so the chain does
// not cover them.
func TestAnyByteOfTheNewestEntryAndCheckpointIsWatched(t *testing.T) {
	store := numbered(t, 103)
	objects, err := logtest.Take(t.Context(), store, "t")
	if err != nil {
		t.Fatal(err)
	}
	want, err := openNumbers(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	for which, key := range map[uint16]string{0: "t/checkpoints/00000000000000000100.bin", 103: "t/log/00000000000000000103.json"} {
		for at := range objects[key] {
			logtest.Check(t, objects, want, openNumbers, logtest.Tampering{Which: which, At: uint16(at), Value: 1})
		}
	}
}

func TestACheckpointWithoutItsEntryIsNotBelieved(t *testing.T) {
	const last = "t/log/00000000000000000100.json"
	for name, other := range map[string][]byte{"gone": nil, "another": []byte("{}")} {
		folder, err := objstore.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		objects, err := logtest.Take(t.Context(), numbered(t, 100), "t")
		if err != nil {
			t.Fatal(err)
		}
		if objects[last] = other; other == nil {
			delete(objects, last)
		}
		for _, store := range []objstore.Store{objstore.NewMemory(), folder} {
			for key, body := range objects {
				if err := store.Create(t.Context(), key, body); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := openNumbers(t.Context(), store); !errors.Is(err, log.ErrCorrupt) {
				t.Errorf("entry 100 is %s: got %v, want ErrCorrupt", name, err)
			}
		}
	}
}
