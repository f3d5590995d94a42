package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"strandline/internal/objstore"
)

// The order of these keys is not that of a walk through folders: '!', '-' and
// '.' come before the slash, '0' and letters after it.
var listed = []string{
	"a!b", "a-b", "a-b.json", "a.x/y", "a/b", "a/b-c", "a/c/d", "a/c-d", "a0", "ab/c",
	"b/00000000000000000001.json", "b/00000000000000000002.json", "b/00000000000000000010.json",
	"ü/ß", "z",
}

func listIsInByteOrder(t *testing.T, s objstore.Store) {
	for i, key := range listed {
		create(t, s, key, pattern(i))
	}
	afters := append(slices.Clone(listed), "", "!", "a", "a/", "a/c", "b/00000000000000000003", "b0", "zz")
	for _, prefix := range []string{"", "a", "a/", "a-", "a/c", "a/c/", "b/", "b/0000000000000000000", "none/", "z"} {
		for _, after := range afters {
			for _, limit := range []int{1, 3, 100} {
				wantKeys(t, s, prefix, after, limit, model(listed, prefix, after, limit))
			}
		}
	}
	sizes, err := s.List(t.Context(), "ab", "", 9)
	if want := int64(slices.Index(listed, "ab/c")); err != nil || len(sizes) != 1 || sizes[0].Size != want {
		t.Errorf("got %v, %v, want one object of %d bytes", sizes, err, want)
	}
	wantKeys(t, s, "", "", 0, nil)
}

// listIsComplete lists folders that have many siblings whose names begin as
// theirs, from starts that are nested, absent or at an edge: MinIO alone would
// leave rows out.
func listIsComplete(t *testing.T, s objstore.Store) {
	random := rand.New(rand.NewPCG(7, 7))
	var keys []string
	for i := range 12 {
		keys = append(keys, fmt.Sprintf("t/q-%d", i), fmt.Sprintf("t/q-daily/%d", i), fmt.Sprintf("t/q/%d/log", i),
			fmt.Sprintf("t/q/%d-x/log", i), fmt.Sprintf("t/q0/%d", i), fmt.Sprintf("t/r.%d/q/a", i), fmt.Sprintf("t/r/%d", i))
	}
	keys = append(keys, "t/r0", "t/s", "t-0", "t0")
	for _, key := range keys {
		create(t, s, key, nil)
	}
	for range 400 {
		prefix := keys[random.IntN(len(keys))]
		prefix = prefix[:random.IntN(len(prefix)+1)]
		after := keys[random.IntN(len(keys))]
		after = after[:len(after)-random.IntN(2)]
		limit := 1 + random.IntN(10)
		wantKeys(t, s, prefix, after, limit, model(keys, prefix, after, limit))
	}
}

// model is the listing of keys by its definition.
func model(keys []string, prefix, after string, limit int) []string {
	var want []string
	for _, key := range slices.Sorted(slices.Values(keys)) {
		if strings.HasPrefix(key, prefix) && key > after && len(want) < limit {
			want = append(want, key)
		}
	}
	return want
}

func listGoesOnPastAThousand(t *testing.T, s objstore.Store) {
	const count = 1005
	var keys []string
	for i := range count {
		keys = append(keys, fmt.Sprintf("many/%020d", i))
	}
	var all sync.WaitGroup
	for part := range slices.Chunk(keys, 64) {
		all.Go(func() {
			for _, key := range part {
				if err := s.Create(t.Context(), key, nil); err != nil {
					t.Errorf("create: %v", err)
				}
			}
		})
	}
	all.Wait()
	wantKeys(t, s, "many/", "", 5000, keys)
	wantKeys(t, s, "many/", "", 1003, keys[:1003])
	wantKeys(t, s, "many/", keys[1], 1002, keys[2:1004])
	wantKeys(t, s, "many/", keys[count-2], 5000, keys[count-1:])
}

// listSeesWhatIsThere lists while others write: all that was acknowledged
// before the listing began is in it.
func listSeesWhatIsThere(t *testing.T, s objstore.Store) {
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			prefix := fmt.Sprintf("seen/%d-", w)
			for i := range 20 {
				key := fmt.Sprintf("%s%d", prefix, i)
				if err := s.Create(t.Context(), key, nil); err != nil {
					t.Errorf("create: %v", err)
				}
				found, err := s.List(t.Context(), "seen/", "", 1000)
				if own := countUnder(found, prefix); err != nil || own != i+1 {
					t.Errorf("list after %s: got %d of %d, %v", key, own, i+1, err)
				}
			}
		})
	}
	all.Wait()
}

// listTellsTheTime, and the tag of the usual kind, or none. It allows for clocks that go by whole seconds. The age of a
// local file that was brought up is nothing to the store.
func listTellsTheTime(t *testing.T, s objstore.Store) {
	path := filepath.Join(t.TempDir(), "old")
	long := time.Now().Add(-1000 * time.Hour)
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chtimes(path, long, long)); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-2 * time.Second)
	create(t, s, "log/1", nil)
	if err := s.Upload(t.Context(), "data/1", path); err != nil {
		t.Fatal(err)
	}
	after := time.Now().Add(2 * time.Second)
	found, err := s.List(t.Context(), "", "", 9)
	if err != nil || len(found) != 2 {
		t.Fatalf("got %v, %v, want two objects", found, err)
	}
	for _, object := range found {
		if object.Modified.Before(before) || object.Modified.After(after) {
			t.Errorf("%s was made at %s, want between %s and %s", object.Key, object.Modified, before, after)
		}
		body := map[string]string{"log/1": "", "data/1": "old"}[object.Key]
		if object.Tag != "" && object.Tag != objstore.TagOf([]byte(body)) {
			t.Errorf("%s is listed with tag %q", object.Key, object.Tag)
		}
	}
}

func countUnder(found []objstore.Object, prefix string) (n int) {
	for _, object := range found {
		if strings.HasPrefix(object.Key, prefix) {
			n++
		}
	}
	return n
}

func badKeysAreRefused(t *testing.T, s objstore.Store) {
	bad := []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", ".tmp/x", "a/.hidden", `a\b`, "a\x00b", "a\nb", "a\xffb",
		strings.Repeat("x", objstore.MaxSegmentBytes+1), strings.Repeat("0123456789/", 82) + "x",
	}
	for _, key := range bad {
		_, read := s.Read(t.Context(), key)
		_, ranged := s.ReadRange(t.Context(), key, 0, 1)
		for act, err := range map[string]error{
			"create": s.Create(t.Context(), key, nil), "delete": s.Delete(t.Context(), key),
			"upload": s.Upload(t.Context(), key, "/dev/null"), "download": s.Download(t.Context(), key, "/nowhere/x"),
			"read": read, "read range": ranged,
		} {
			if !errors.Is(err, objstore.ErrBadKey) {
				t.Errorf("%s of %q: got %v, want ErrBadKey", act, key, err)
			}
		}
	}
	for _, prefix := range []string{"/", "../", "a//", "a/../"} {
		if _, err := s.List(t.Context(), prefix, "", 1); !errors.Is(err, objstore.ErrBadKey) {
			t.Errorf("list of %q: got %v, want ErrBadKey", prefix, err)
		}
	}
	longest := strings.Repeat(strings.Repeat("x", 99)+"/", 8) + strings.Repeat("y", 100)
	for _, key := range []string{longest, "partition=2024-01-01T00:00:00Z/é ~'()*&$@=;:+,?", strings.Repeat("x", objstore.MaxSegmentBytes)} {
		create(t, s, key, []byte(key))
		expect(t, s, key, []byte(key))
		wantKeys(t, s, key, "", 2, []string{key})
	}
}
