package storetest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"strandline/internal/objstore"
)

// pattern returns size bytes that differ at every place where a block could
// be missing or doubled.
func pattern(size int) []byte {
	body := make([]byte, size)
	state := uint32(1)
	for i := range body {
		state = state*1664525 + 1013904223
		body[i] = byte(state >> 24)
	}
	return body
}

func create(t *testing.T, s objstore.Store, key string, body []byte) {
	t.Helper()
	if err := s.Create(t.Context(), key, body); err != nil {
		t.Fatal(err)
	}
}

func upload(t *testing.T, s objstore.Store, key string, body []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Upload(t.Context(), key, path); err != nil {
		t.Fatal(err)
	}
}

// expect checks that key holds just these bytes.
func expect(t *testing.T, s objstore.Store, key string, want []byte) {
	t.Helper()
	got, err := s.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s: got %d bytes %.40q, want %d bytes %.40q", key, len(got), got, len(want), want)
	}
}

func wantKeys(t *testing.T, s objstore.Store, prefix, after string, limit int, want []string) {
	t.Helper()
	found, err := s.List(t.Context(), prefix, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range found {
		got = append(got, object.Key)
	}
	if !slices.Equal(got, want) {
		t.Errorf("list of %q after %q, at most %d: got %.300q, want %.300q", prefix, after, limit, got, want)
	}
}
