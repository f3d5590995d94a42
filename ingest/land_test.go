package ingest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"strandline/internal/objstore"
	"strandline/landing"
)

func openStream(t *testing.T, spec landing.Spec) *landing.Stream {
	t.Helper()
	return landing.Open(objstore.NewMemory(), spec, landing.Options{Scratch: t.TempDir()})
}

func writeFile(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRealEarthquakesLandWholeAndOnlyOnceWhateverTheirForm(t *testing.T) {
	stream, dir := openStream(t, quakeSpec()), t.TempDir()
	plain := readFile(t, "../testdata/quakes.ndjson")
	first, err := LandFile(t.Context(), stream, "../testdata/quakes.ndjson", "quakes.ndjson", Options{})
	if err != nil || first.Duplicate || first.Rows() != 1707 || first.Rejects != 0 || first.From != 0 || first.To != 1707 {
		t.Fatalf("got %+v, %v", first, err)
	}
	for name, content := range map[string][]byte{"again.ndjson": plain, "quakes.gz": gzipped(plain), "named.wrong": zstded(plain)} {
		path := writeFile(t, dir, name, content)
		got, err := LandFile(t.Context(), stream, path, name, Options{})
		if err != nil || !got.Duplicate || got.DuplicateOf != "quakes.ndjson" || got.Identity != first.Identity {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		got, err = LandReader(t.Context(), stream, bytes.NewReader(content), "stdin", Options{})
		if err != nil || !got.Duplicate || got.DuplicateOf != "quakes.ndjson" || got.Identity != first.Identity {
			t.Errorf("%s by standard input: got %+v, %v", name, got, err)
		}
	}
	if next := stream.Next(); next != 1707 {
		t.Errorf("the stream is at %d after duplicates", next)
	}
}

func TestRealStrikesLandFromCSV(t *testing.T) {
	got, err := LandFile(t.Context(), openStream(t, strikeSpec()), "../testdata/birdstrikes.csv", "birdstrikes.csv", Options{Format: FormatCSV})
	if err != nil || got.Rows() != 10_000 || got.Rejects != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOtherContentUnderTheSameNameIsSaid(t *testing.T) {
	stream, dir := openStream(t, quakeSpec()), t.TempDir()
	for i, content := range []string{`{"time":1517365101235}`, `{"time":1517365101236}`} {
		path := writeFile(t, dir, "a.ndjson", []byte(content))
		got, err := LandFile(t.Context(), stream, path, "a.ndjson", Options{})
		if err != nil || got.Rows() != 1 || got.SameName != (i == 1) {
			t.Errorf("content %d: got %+v, %v", i, got, err)
		}
	}
}

func TestFaultyFileLandsNothingAndIsNamed(t *testing.T) {
	dir := t.TempDir()
	quakes := readFile(t, "../testdata/quakes.ndjson")
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		opts Options
		want error
	}{
		"folder":    {dir, Options{}, ErrFolder},
		"pipe":      {pipe, Options{}, ErrIrregular},
		"vanished":  {filepath.Join(dir, "none"), Options{}, ErrVanished},
		"truncated": {writeFile(t, dir, "cut.gz", gzipped(quakes)[:5000]), Options{}, ErrTruncated},
		"header":    {writeFile(t, dir, "a.csv", []byte("id,mag\n1,2\n")), Options{Format: FormatCSV}, ErrHeader},
		"zip":       {writeFile(t, dir, "a.zip", []byte("PK\x03\x04....")), Options{}, ErrFormat},
	} {
		stream := openStream(t, quakeSpec())
		_, err := LandFile(t.Context(), stream, c.path, name, c.opts)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), `"`+name+`"`) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if err := stream.Refresh(t.Context()); err != nil || arrived(stream) != 0 {
			t.Errorf("%s: something landed (%v)", name, err)
		}
	}
}

func TestUnreadableFileIsNamed(t *testing.T) {
	// Permissions do not bind every user, so the error is made by hand.
	err := nameFault(&fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission})
	if !errors.Is(err, ErrUnreadable) || errors.Is(err, ErrInput) {
		t.Errorf("got %v", err)
	}
}

func TestReaderThatBreaksOrIsCancelledLandsNothing(t *testing.T) {
	stream := openStream(t, quakeSpec())
	quakes := readFile(t, "../testdata/quakes.ndjson")
	broken := iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(quakes)))
	if _, err := LandReader(t.Context(), stream, broken, "stdin", Options{}); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v, want the reader's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LandReader(ctx, stream, bytes.NewReader(quakes), "stdin", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if err := stream.Refresh(t.Context()); err != nil || arrived(stream) != 0 {
		t.Errorf("something landed (%v)", err)
	}
}

// arrived counts what has landed, as of the last Refresh.
func arrived(stream *landing.Stream) (n int64) {
	stream.View(func(s *landing.State) { n, _ = s.Arrived() })
	return n
}
