package log_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"strandline/internal/log"
	"strandline/internal/log/logtest"
	"strandline/internal/objstore"
)

func entryKey(n int) string      { return fmt.Sprintf("t/log/%020d.json", n) }
func checkpointKey(n int) string { return fmt.Sprintf("t/checkpoints/%020d.bin", n) }

// examined examines a log of numbers and returns what was found, as
// "fault key first-last", and what it folds to.
func examined(t *testing.T, store log.Store) (found []string, out log.Examined[*numbers]) {
	t.Helper()
	last := uint64(0)
	out, err := log.Examination[*numbers]{
		Log: log.New(store, "t", log.Options{}), Empty: func() *numbers { return &numbers{} },
		Found: func(f log.Finding) {
			found = append(found, strings.TrimSuffix(fmt.Sprintf("%s %s %d-%d", f.Fault, f.Key, f.First, f.Last), " 0-0"))
		},
		Entry: func(e log.Entry, _ *numbers, _ bool) {
			if e.Number <= last {
				t.Errorf("entry %d comes after entry %d", e.Number, last)
			}
			last = e.Number
		},
		Step: func(string) {},
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found, out
}

// rewrite makes a store of other objects out of a log of n entries.
func rewrite(t testing.TB, n int, change func(objects logtest.Objects)) *objstore.Memory {
	t.Helper()
	objects, err := logtest.Take(t.Context(), numbered(t, n), "t")
	if err != nil {
		t.Fatal(err)
	}
	change(objects)
	store := objstore.NewMemory()
	for key, body := range objects {
		if err := store.Create(t.Context(), key, body); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// trimAll trims a log as far as can be.
func trimAll(t testing.TB, objects logtest.Objects) logtest.Objects {
	t.Helper()
	store := objstore.NewMemory()
	for key, body := range objects {
		if err := store.Create(t.Context(), key, body); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log.New(store, "t", log.Options{}).Trim(t.Context(), log.Keep{From: math.MaxUint64}); err != nil {
		t.Fatal(err)
	}
	left, err := store.List(t.Context(), "t/", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	trimmed := logtest.Objects{}
	for _, o := range left {
		if trimmed[o.Key], err = store.Read(t.Context(), o.Key); err != nil {
			t.Fatal(err)
		}
	}
	return trimmed
}

func flip(o logtest.Objects, key string) {
	o[key] = slices.Clone(o[key])
	o[key][len(o[key])/2] ^= 1
}

func TestAnExaminationNamesEachFaultAndFoldsOn(t *testing.T) {
	const whole, lost = true, false
	gone := func(keys ...string) func(logtest.Objects) {
		return func(o logtest.Objects) {
			for _, key := range keys {
				delete(o, key)
			}
		}
	}
	// trimmed is the log after a trim that kept it from entry 100 on, but for what
	// of the rest the trim did not come to.
	trimmed := func(more func(o logtest.Objects)) func(logtest.Objects) {
		return func(o logtest.Objects) {
			whole := maps.Clone(o)
			clear(o)
			maps.Copy(o, trimAll(t, whole))
			more(o)
			if o[entryKey(42)] != nil {
				for n := 42; n < 100; n++ {
					o[entryKey(n)] = whole[entryKey(n)]
				}
			}
		}
	}
	const record = "t/trims/00000000000000000001.json"
	for name, c := range map[string]struct {
		change func(logtest.Objects)
		want   []string
		known  bool
	}{
		"nothing":                         {gone(), nil, whole},
		"the first entry":                 {gone(entryKey(1)), []string{"missing-entry " + entryKey(1) + " 1-1"}, whole},
		"an entry in between":             {gone(entryKey(50)), []string{"missing-entry " + entryKey(50) + " 50-50"}, whole},
		"some entries":                    {gone(entryKey(50), entryKey(51), entryKey(60)), []string{"missing-entry " + entryKey(50) + " 50-51", "missing-entry " + entryKey(60) + " 60-60"}, whole},
		"one after the newest checkpoint": {gone(entryKey(203)), []string{"missing-entry " + entryKey(203) + " 203-203"}, lost},
		"a checkpoint's entry":            {gone(entryKey(200)), []string{"missing-entry " + entryKey(200) + " 200-200"}, whole},
		"the newest, below a checkpoint": {gone(entryKey(200), entryKey(201), entryKey(202), entryKey(203), entryKey(204), entryKey(205), entryKey(206), entryKey(207)),
			[]string{"missing-entry " + entryKey(200) + " 200-200"}, whole},
		"the newest checkpoint":         {gone(checkpointKey(200)), []string{"missing-checkpoint " + checkpointKey(200)}, whole},
		"an older checkpoint":           {gone(checkpointKey(100)), nil, whole},
		"a byte of an entry":            {func(o logtest.Objects) { flip(o, entryKey(50)) }, []string{"damaged-entry " + entryKey(50) + " 50-50"}, whole},
		"a byte of the newest":          {func(o logtest.Objects) { flip(o, entryKey(207)) }, []string{"damaged-entry " + entryKey(207) + " 207-207"}, lost},
		"half an entry":                 {func(o logtest.Objects) { o[entryKey(7)] = o[entryKey(7)][:90] }, []string{"damaged-entry " + entryKey(7) + " 7-7"}, whole},
		"a byte of a checkpoint":        {func(o logtest.Objects) { flip(o, checkpointKey(100)) }, []string{"damaged-checkpoint " + checkpointKey(100)}, whole},
		"half of the newest checkpoint": {func(o logtest.Objects) { o[checkpointKey(200)] = o[checkpointKey(200)][:200] }, []string{"damaged-checkpoint " + checkpointKey(200)}, whole},
		"a strange object":              {func(o logtest.Objects) { o["t/log/notes.txt"] = nil }, []string{"strange-log-object t/log/notes.txt"}, whole},
		"trimmed":                       {trimmed(gone()), nil, whole},
		"a trim that was stopped": {trimmed(func(o logtest.Objects) { o[entryKey(42)] = []byte("left") }),
			[]string{"unfinished-trim " + entryKey(42) + " 42-99"}, whole},
		"the first after a trim": {trimmed(gone(entryKey(100))), []string{"missing-entry " + entryKey(100) + " 100-100"}, whole},
		"the base":               {trimmed(gone(checkpointKey(100))), []string{"missing-checkpoint " + checkpointKey(100)}, whole},
		"all checkpoints after a trim": {trimmed(gone(checkpointKey(100), checkpointKey(200))),
			[]string{"missing-base " + checkpointKey(100) + " 100-207"}, lost},
		"a byte of a trim's record": {trimmed(func(o logtest.Objects) { flip(o, record) }), []string{"damaged-trim " + record}, whole},
		"a trim's record":           {trimmed(gone(record)), []string{"missing-trim t/trims/ 1-99"}, whole},
		"a trim's record, and entries after it": {trimmed(gone(record, entryKey(100), entryKey(150))),
			[]string{"missing-entry " + entryKey(1) + " 1-100", "missing-entry " + entryKey(150) + " 150-150"}, whole},
	} {
		t.Run(name, func(t *testing.T) {
			found, out := examined(t, rewrite(t, 207, c.change))
			if !slices.Equal(found, c.want) || out.Known != c.known {
				t.Errorf("found %q, known %v\n want %q, %v", found, out.Known, c.want, c.known)
			}
			if out.Known && len(out.State.List) != int(out.Head.Number) {
				t.Errorf("the state at %d has %d numbers", out.Head.Number, len(out.State.List))
			}
		})
	}
}

// The newest record of a trim may be lost with older ones there, and all of them; a trim writes it anew.
func TestATrimWritesARecordAnewThatWasLost(t *testing.T) {
	store := numbered(t, 207)
	trim := func() {
		t.Helper()
		if _, err := log.New(store, "t", log.Options{}).Trim(t.Context(), log.Keep{From: math.MaxUint64}); err != nil {
			t.Fatal(err)
		}
		if found, _ := examined(t, store); len(found) > 0 {
			t.Fatalf("after a trim there is %q", found)
		}
	}
	trim()
	follower := log.Follow(log.New(store, "t", log.Options{}), func() *numbers { return &numbers{} })
	for i := range 100 {
		if _, err := follower.Commit(t.Context(), func(*numbers) (any, error) { return i, nil }); err != nil {
			t.Fatal(err)
		}
	}
	trim()
	for _, lost := range []struct {
		records []int
		want    string
	}{{[]int{2}, "missing-trim t/trims/ 100-199"}, {[]int{1, 2}, "missing-trim t/trims/ 1-199"}} {
		for _, n := range lost.records {
			if err := store.Delete(t.Context(), fmt.Sprintf("t/trims/%020d.json", n)); err != nil {
				t.Fatal(err)
			}
		}
		if found, out := examined(t, store); !slices.Equal(found, []string{lost.want}) || !out.Known {
			t.Errorf("without records %v: found %q, known %v; want %q", lost.records, found, out.Known, lost.want)
		}
		trim()
	}
}

// An entry that was made anew, sound in itself, gives itself away by the one
// after it, by its checkpoint, or by what it says.
func TestAnExaminationFindsWhatWasMadeAnew(t *testing.T) {
	other := rewrite(t, 207, func(logtest.Objects) {})
	take := func(key string) func(logtest.Objects) {
		return func(o logtest.Objects) { o[key], _ = other.Read(t.Context(), key) }
	}
	for key, want := range map[string][]string{
		entryKey(50):       {"broken-chain " + entryKey(50) + " 50-50", "broken-chain " + entryKey(51) + " 51-51"},
		entryKey(207):      {"broken-chain " + entryKey(207) + " 207-207"},
		checkpointKey(200): {"wrong-checkpoint " + checkpointKey(200)},
	} {
		if found, _ := examined(t, rewrite(t, 207, take(key))); !slices.Equal(found, want) {
			t.Errorf("%s of another log: found %q, want %q", key, found, want)
		}
	}
}

func TestACheckpointWithAnotherStateIsFound(t *testing.T) {
	// Sealed, and of the right entry: only folding tells.
	forged := objstore.NewMemory()
	follower := log.Follow(log.New(forged, "t", log.Options{}), func() *forgetful { return &forgetful{} })
	for i := range 100 {
		if _, err := follower.Commit(t.Context(), func(*forgetful) (any, error) { return i, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ := examined(t, forged); !slices.Equal(found, []string{"wrong-checkpoint " + checkpointKey(100)}) {
		t.Errorf("found %q", found)
	}
}

// forgetful keeps every number but the seventh.
type forgetful struct{ numbers }

func (f *forgetful) Apply(e log.Entry) error {
	if e.Number == 7 {
		return nil
	}
	return f.numbers.Apply(e)
}

func TestAnEntryThatTheStateRefusesIsFound(t *testing.T) {
	store := objstore.NewMemory()
	l := log.New(store, "t", log.Options{})
	head := log.Head{}
	for _, body := range []any{1, "no number", 3} {
		entry, err := l.Append(t.Context(), head, body)
		if err != nil {
			t.Fatal(err)
		}
		head = entry.Head()
	}
	found, out := examined(t, store)
	if !slices.Equal(found, []string{"refused-entry " + entryKey(2) + " 2-2"}) || out.Known || out.Head.Number != 1 {
		t.Errorf("found %q, known %v up to %d", found, out.Known, out.Head.Number)
	}
}

// trimming trims the log to the newest checkpoint but one when entry n is read.
type trimming struct {
	*objstore.Memory
	at   string
	once sync.Once
}

func (s *trimming) Read(ctx context.Context, key string) (body []byte, err error) {
	if key == s.at {
		s.once.Do(func() { _, err = log.New(s.Memory, "t", log.Options{}).Trim(ctx, log.Keep{From: math.MaxUint64}) })
	}
	if err != nil {
		return nil, err
	}
	return s.Memory.Read(ctx, key)
}

func TestATrimMeanwhileIsNoFault(t *testing.T) {
	for _, at := range []int{1, 50, 128, 129, 250} {
		found, out := examined(t, &trimming{Memory: numbered(t, 307), at: entryKey(at)})
		if len(found) > 0 || !out.Known || out.Head.Number != 307 {
			t.Errorf("trimmed when entry %d was read: found %q, %+v", at, found, out.Head)
		}
	}
}

// FuzzAnExaminationFindsAnyDamage damages a log of 2 checkpoints and 207
// entries. All but the loss of an older checkpoint, which thinning does too,
// must be found; and the log as it was must have no fault.
func FuzzAnExaminationFindsAnyDamage(f *testing.F) {
	objects, err := logtest.Take(f.Context(), numbered(f, 207), "t")
	if err != nil {
		f.Fatal(err)
	}
	logtest.Seeds(f)
	f.Fuzz(func(t *testing.T, kind uint8, which, other, at uint16, value byte) {
		store, done, err := logtest.Tampering{Kind: kind, Which: which, Other: other, At: at, Value: value}.Apply(t.Context(), objects)
		if err != nil {
			t.Fatal(err)
		}
		damaged, err := logtest.Take(t.Context(), store, "t")
		if err != nil {
			t.Fatal(err)
		}
		found, _ := examined(t, store)
		intact := maps.EqualFunc(objects, damaged, func(a, b []byte) bool { return string(a) == string(b) })
		if _, there := damaged[checkpointKey(100)]; intact || !there && len(damaged) == len(objects)-1 {
			if len(found) > 0 {
				t.Errorf("%s: found %q, want nothing", done, found)
			}
		} else if len(found) == 0 {
			t.Errorf("%s: nothing was found", done)
		}
	})
}

func TestAnUnreadableObjectIsFoundAndTheOthersAreReadOn(t *testing.T) {
	store := objstore.NewFault(numbered(t, 207), nil)
	broken := &unreadable{store, entryKey(50)}
	if found, out := examined(t, broken); !slices.Equal(found, []string{"unreadable " + entryKey(50) + " 50-50"}) || !out.Known {
		t.Errorf("found %q, known %v", found, out.Known)
	}
}

type unreadable struct {
	objstore.Store
	key string
}

func (s *unreadable) Read(ctx context.Context, key string) ([]byte, error) {
	if key == s.key {
		return nil, errors.New("input/output error")
	}
	return s.Store.Read(ctx, key)
}
