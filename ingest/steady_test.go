package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
)

// firstContent and otherContent are of one size, which takes several reads.
var (
	firstContent = bytes.Repeat([]byte(`{"time":1517365101235}`+"\n"), 40_000)
	otherContent = bytes.Repeat([]byte(`{"time":1517365101236}`+"\n"), 40_000)
)

// meddler is a context that acts once a file is being read: when it is asked for the
// second time in a row without a call of its store.
type meddler struct {
	context.Context
	asked int
	act   func()
}

func (m *meddler) Err() error {
	if m.asked++; m.asked == 2 && m.act != nil {
		m.act()
		m.act = nil
	}
	return m.Context.Err()
}

// meddledStore tells the meddler of its calls.
type meddledStore struct {
	*objstore.Memory
	meddler *meddler
}

func (s meddledStore) List(ctx context.Context, prefix, after string, most int) ([]objstore.Object, error) {
	defer func() { s.meddler.asked = 0 }()
	return s.Memory.List(context.WithoutCancel(ctx), prefix, after, most)
}

// oldFile is a file that was written long ago, as far as its modification time says.
func oldFile(t *testing.T) string {
	path := writeFile(t, t.TempDir(), "a.ndjson", firstContent)
	setTimes(t, path)
	return path
}

func setTimes(t *testing.T, path string) {
	t.Helper()
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Error(err)
	}
}

// overwrite writes over what a file holds, which stays the same file of the same size.
func overwrite(t *testing.T, path string, content []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.Write(content)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// landMeddled lands the file at path while act is done to it.
func landMeddled(t *testing.T, path string, act func()) (Outcome, *landing.Stream, error) {
	t.Helper()
	m := &meddler{Context: t.Context(), act: act}
	stream := landing.Open(meddledStore{objstore.NewMemory(), m}, quakeSpec(), landing.Options{Scratch: t.TempDir()})
	got, err := LandFile(m, stream, path, "a.ndjson", Options{})
	if m.act != nil {
		t.Error("nothing was done to the file")
	}
	return got, stream, err
}

func TestFileThatChangesWhileItIsReadLandsNothing(t *testing.T) {
	for name, change := range map[string]func(path string){
		"grows":        func(path string) { overwrite(t, path, append(firstContent, otherContent...)) },
		"is cut":       func(path string) { _ = os.Truncate(path, 100) },
		"is rewritten": func(path string) { overwrite(t, path, otherContent) },
		"is rewritten, and its time set back": func(path string) {
			overwrite(t, path, otherContent)
			setTimes(t, path)
		},
	} {
		path := oldFile(t)
		_, stream, err := landMeddled(t, path, func() { change(path) })
		if !errors.Is(err, ErrChanged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrChanged)
		}
		if err := stream.Refresh(t.Context()); err != nil || arrived(stream) != 0 {
			t.Errorf("%s: something landed (%v)", name, err)
		}
	}
}

func TestFileThatIsRenamedOrReplacedWhileItIsReadLands(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"renamed":  func(path string) error { return os.Rename(path, path+".done") },
		"removed":  os.Remove,
		"replaced": func(path string) error { return os.Rename(writeFile(t, t.TempDir(), "b", otherContent), path) },
	} {
		path := oldFile(t)
		got, _, err := landMeddled(t, path, func() {
			if err := change(path); err != nil {
				t.Error(err)
			}
		})
		if err != nil || got.Rows() != 40_000 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestAFileIsOfOneVersion(t *testing.T) {
	path, stream := oldFile(t), openStream(t, quakeSpec())
	if _, err := landFile(t.Context(), stream, File{Path: path, Name: "a", Version: "file 1.2.3.4"}, Options{}); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want %v", err, ErrChanged)
	}
}

// A write that follows another so closely that the file system gives both one time is
// found by reading again.
func TestTimesThatTellNothingAreNotTrusted(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	version := func(changed time.Time, inode uint64) fileVersion {
		return fileVersion{modified: at.UnixNano(), inode: fileInode{number: inode, changed: changed.UnixNano()}}
	}
	for name, c := range map[string]struct {
		version fileVersion
		from    time.Time
		want    bool
	}{
		"old":                    {version(at, 1), at.Add(time.Minute), true},
		"fresh":                  {version(at, 1), at.Add(time.Second), false},
		"of a clock that is off": {version(at, 1), at.Add(-time.Second), false},
		"of late other rights":   {version(at.Add(time.Minute), 1), at.Add(time.Minute), false},
		"of nothing but a time":  {fileVersion{modified: at.UnixNano()}, at.Add(time.Minute), false},
	} {
		if got := c.version.tells(c.from); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	path := oldFile(t)
	for content, want := range map[string]error{string(firstContent): nil, string(otherContent): ErrChanged} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		watched, err := watchOver(file, "")
		if err != nil {
			t.Fatal(err)
		}
		read, err := Identify(t.Context(), bytes.NewReader([]byte(content)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := watched.held(t.Context(), read, Options{}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A content that came before is told without decoding it, where its name or size says
// that it may have.
func TestWhatMayHaveLandedIsIdentifiedFirst(t *testing.T) {
	for name, c := range map[string]struct {
		name    string
		content []byte
	}{
		"of its size": {"b.ndjson", firstContent},
		"of its name": {"a.ndjson", gzipped(firstContent)},
	} {
		stream := openStream(t, quakeSpec())
		if _, err := LandReader(t.Context(), stream, bytes.NewReader(firstContent), "a.ndjson", Options{}); err != nil {
			t.Fatal(err)
		}
		path := writeFile(t, t.TempDir(), "c", c.content)
		// A decoder would refuse the format, and even an empty file.
		got, err := LandFile(t.Context(), stream, path, c.name, Options{Format: FormatArrow})
		if err != nil || !got.Duplicate || got.DuplicateOf != "a.ndjson" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	stream := openStream(t, quakeSpec())
	if may, err := stream.MayHave(t.Context(), "a.ndjson", int64(len(firstContent))); may || err != nil {
		t.Errorf("an empty stream may have it (%v)", err)
	}
}
