// Package storetest is the contract of objstore.Store as tests. Every store
// passes the same ones.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"strandline/internal/objstore"
)

// Run holds a store to the contract. Each call of open returns a store that is
// empty at first.
func Run(t *testing.T, open func(t *testing.T) objstore.Store) {
	promises := []struct {
		name string
		test func(*testing.T, objstore.Store)
	}{
		{"CreateHasOneWinnerOf64", createHasOneWinner},
		{"CreateNeverOverwrites", createNeverOverwrites},
		{"LostAnswerIsFoundByReading", lostAnswerIsFoundByReading},
		{"WriteIsReadAtOnce", writeIsReadAtOnce},
		{"UploadComesBackWhole", uploadComesBackWhole},
		{"ReadersNeverSeeATornObject", readersNeverSeeATornObject},
		{"DownloadLeavesNothingOnError", downloadLeavesNothingOnError},
		{"RangesEndWithTheObject", rangesEndWithTheObject},
		{"ListIsInByteOrderAfterAnyKey", listIsInByteOrder},
		{"ListLeavesNothingOut", listIsComplete},
		{"ListGoesOnPastAThousand", listGoesOnPastAThousand},
		{"ListSeesWhatIsThere", listSeesWhatIsThere},
		{"ListTellsWhenBytesWereWritten", listTellsTheTime},
		{"DeletedIsGone", deletedIsGone},
		{"BadKeysAreRefused", badKeysAreRefused},
		{"EndedContextDoesNothing", endedContextDoesNothing},
		{"ProvesAndChecks", provesAndChecks},
	}
	for _, promise := range promises {
		t.Run(promise.name, func(t *testing.T) { promise.test(t, open(t)) })
	}
}

func createNeverOverwrites(t *testing.T, s objstore.Store) {
	create(t, s, "a/key", []byte("first"))
	if err := s.Create(t.Context(), "a/key", []byte("second")); !errors.Is(err, objstore.ErrExists) {
		t.Fatalf("second create: got %v, want ErrExists", err)
	}
	expect(t, s, "a/key", []byte("first"))
}

func lostAnswerIsFoundByReading(t *testing.T, s objstore.Store) {
	deaf := objstore.NewFault(s, func(op objstore.Op, _ string) objstore.Action {
		if op == objstore.OpCreate {
			return objstore.LoseAnswer
		}
		return objstore.Pass
	})
	err := deaf.Create(t.Context(), "log/1", []byte("mine"))
	if err == nil || errors.Is(err, objstore.ErrExists) {
		t.Fatalf("create whose answer is lost: got %v, want an unknown outcome", err)
	}
	expect(t, deaf, "log/1", []byte("mine"))
	if err := s.Create(t.Context(), "log/1", []byte("mine")); !errors.Is(err, objstore.ErrExists) {
		t.Fatalf("create of the same again: got %v, want ErrExists", err)
	}
}

func writeIsReadAtOnce(t *testing.T, s objstore.Store) {
	for _, size := range []int{0, 1, 1000, 5 << 20} {
		key := fmt.Sprintf("deep/er/by/%d.json", size)
		if _, err := s.Read(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
			t.Fatalf("read before create: got %v, want ErrNotFound", err)
		}
		create(t, s, key, pattern(size))
		expect(t, s, key, pattern(size))
	}
}

func uploadComesBackWhole(t *testing.T, s objstore.Store) {
	for _, size := range []int{0, 1, 9 << 20} {
		key := fmt.Sprintf("data/%d.parquet", size)
		upload(t, s, key, pattern(size))
		expect(t, s, key, pattern(size))
		path := filepath.Join(t.TempDir(), "back")
		if err := s.Download(t.Context(), key, path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, pattern(size)) {
			t.Fatalf("download of %d bytes: got %d other ones, %v", size, len(got), err)
		}
	}
}

func downloadLeavesNothingOnError(t *testing.T, s objstore.Store) {
	dir := t.TempDir()
	if err := s.Download(t.Context(), "no/such", filepath.Join(dir, "back")); !errors.Is(err, objstore.ErrNotFound) {
		t.Fatalf("got %v, want ErrNotFound", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Fatalf("left behind: %v", left)
	}
}

func rangesEndWithTheObject(t *testing.T, s objstore.Store) {
	create(t, s, "r", []byte("0123456789"))
	create(t, s, "empty", nil)
	for _, c := range []struct {
		offset, length int64
		want           string
	}{{0, 10, "0123456789"}, {0, 1, "0"}, {4, 3, "456"}, {9, 1, "9"}, {9, 5, "9"}, {0, 1 << 62, "0123456789"}, {5, 1<<63 - 1, "56789"}} {
		got, err := s.ReadRange(t.Context(), "r", c.offset, c.length)
		if err != nil || string(got) != c.want {
			t.Errorf("%d bytes from %d: got %q, %v, want %q", c.length, c.offset, got, err, c.want)
		}
	}
	for _, c := range []struct {
		key            string
		offset, length int64
	}{{"r", 10, 1}, {"r", 99, 1}, {"r", -1, 5}, {"r", 0, 0}, {"r", 0, -1}, {"empty", 0, 1}} {
		if got, err := s.ReadRange(t.Context(), c.key, c.offset, c.length); err == nil {
			t.Errorf("%d bytes from %d of %s: got %q, want an error", c.length, c.offset, c.key, got)
		}
	}
	if _, err := s.ReadRange(t.Context(), "none", 0, 1); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("range of an absent key: got %v, want ErrNotFound", err)
	}
}

func deletedIsGone(t *testing.T, s objstore.Store) {
	create(t, s, "d/1", []byte("old"))
	create(t, s, "d/2", []byte("stays"))
	for range 2 {
		if err := s.Delete(t.Context(), "d/1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), "never/was"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context(), "d/1"); !errors.Is(err, objstore.ErrNotFound) {
		t.Fatalf("read: got %v, want ErrNotFound", err)
	}
	wantKeys(t, s, "", "", 10, []string{"d/2"})
	create(t, s, "d/1", []byte("new"))
	expect(t, s, "d/1", []byte("new"))
}

func endedContextDoesNothing(t *testing.T, s objstore.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Create(ctx, "k", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("create: got %v, want context.Canceled", err)
	}
	if _, err := s.List(ctx, "", "", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("list: got %v, want context.Canceled", err)
	}
	if _, err := s.Read(t.Context(), "k"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("read: got %v, want ErrNotFound", err)
	}
}

func provesAndChecks(t *testing.T, s objstore.Store) {
	if _, err := objstore.Prove(t.Context(), s); err != nil {
		t.Error(err)
	}
	for _, finding := range objstore.Check(t.Context(), s) {
		if finding.Err != nil {
			t.Errorf("%s: %v", finding.Property, finding.Err)
		}
	}
	wantKeys(t, s, "", "", 10, nil)
}
