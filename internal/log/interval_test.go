package log

import (
	"math"
	"slices"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// heavy is a state whose checkpoints take some bytes more.
type heavy struct {
	values
	padding int
}

func (h *heavy) AppendBinary(b []byte) ([]byte, error) {
	b, err := h.values.AppendBinary(b)
	return append(b, strings.Repeat(" ", h.padding)...), err
}

func (h *heavy) UnmarshalBinary(data []byte) error { return h.values.UnmarshalBinary(data) }

// checkpointsOf appends entries to a log whose state has that many bytes, and
// returns of which entries checkpoints were made.
func checkpointsOf(t *testing.T, store Store, bytes, entries int) (made []uint64) {
	t.Helper()
	l := New(store, "t", Options{Pause: noPause, CheckpointEvery: 10})
	f := Follow(l, func() *heavy { return &heavy{padding: bytes} })
	for range entries {
		if _, err := f.Commit(t.Context(), func(*heavy) (any, error) { return "x", nil }); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := l.between(t.Context(), checkpointFolder, 1, math.MaxUint64)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range listed {
		made = append(made, c.number)
	}
	return made
}

func TestCheckpointsOfALargeStateLieFartherApart(t *testing.T) {
	for bytes, want := range map[int][]uint64{
		0:                           {10, 20, 30, 40, 50, 60, 70},
		1*perInterval + 1:           {10, 30, 50, 70},
		2*perInterval + 1:           {10, 40, 70},
		3*perInterval - 10*pageSize: {10, 40, 70},
	} {
		if made := checkpointsOf(t, objstore.NewMemory(), bytes, 75); !slices.Equal(made, want) {
			t.Errorf("with %d bytes: checkpoints at %v, want %v", bytes, made, want)
		}
	}
}

func TestACheckpointThatWasNotMadeIsMadeSoonAfter(t *testing.T) {
	lost := 0
	store := objstore.NewFault(objstore.NewMemory(), func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && strings.HasSuffix(key, "40.bin") {
			lost++
			return objstore.Fail
		}
		return objstore.Pass
	})
	want := []uint64{10, 50, 80}
	if made := checkpointsOf(t, store, 2*perInterval, 85); !slices.Equal(made, want) || lost != 1 {
		t.Fatalf("checkpoints at %v, want %v; %d lost", made, want, lost)
	}
}

func TestTheTailToReadIsBounded(t *testing.T) {
	for _, c := range []struct {
		every uint64
		bytes int64
		want  uint64
	}{
		{100, 0, 100}, {100, perInterval - 1, 100}, {100, perInterval, 200}, {100, 15 * perInterval, 1000}, {100, math.MaxInt64, 1000},
		{300, math.MaxInt64, 900}, {10_000, math.MaxInt64, 10_000},
	} {
		l := New(objstore.NewMemory(), "t", Options{CheckpointEvery: c.every})
		if got := l.interval(c.bytes); got != c.want {
			t.Errorf("every %d, %d bytes: %d entries, want %d", c.every, c.bytes, got, c.want)
		}
	}
}

// A large state's log is whole with fewer checkpoints than a small one's has.
func TestExamineKnowsWhenACheckpointIsDue(t *testing.T) {
	for removed, want := range map[uint64]int{0: 0, 70: 1} {
		store := objstore.NewMemory()
		checkpointsOf(t, store, 2*perInterval, 75)
		l := New(store, "t", Options{CheckpointEvery: 10})
		if removed > 0 {
			if err := store.Delete(t.Context(), l.checkpointKey(removed)); err != nil {
				t.Fatal(err)
			}
		}
		found := 0
		_, err := Examination[*heavy]{
			Log: l, Empty: func() *heavy { return &heavy{padding: 2 * perInterval} },
			Found: func(f Finding) {
				if found++; f.Fault != MissingCheckpoint || f.Key != l.checkpointKey(70) {
					t.Errorf("found %v", f)
				}
			},
			Step: func(string) {}, Entry: func(Entry, *heavy, bool) {},
		}.Run(t.Context())
		if err != nil || found != want {
			t.Errorf("without checkpoint %d: found %d, want %d; %v", removed, found, want, err)
		}
	}
}
