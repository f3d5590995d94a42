package datafile_test

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/internal/datafile"

	"github.com/parquet-go/parquet-go"
)

// small is a file of every kind, of few bytes, in two row groups.
func small(t testing.TB) []byte {
	t.Helper()
	cols, data := table(t, 30)
	body, err := os.ReadFile(write(t, cols, data, 10, 30))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// summarizeBytes reads body as a data file.
func summarizeBytes(t testing.TB, path string, body []byte) (datafile.Summary, error) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return datafile.Summarize(path, nil)
}

func TestAFileCutShortIsNamedDamaged(t *testing.T) {
	body := small(t)
	path := filepath.Join(t.TempDir(), "x.parquet")
	for n := 0; n < len(body); n += 1 + n/50 {
		if _, err := summarizeBytes(t, path, body[:n]); !errors.Is(err, datafile.ErrCorrupt) {
			t.Fatalf("first %d of %d bytes: %v", n, len(body), err)
		}
	}
	for n := 1; n < len(body); n += 1 + n/50 {
		if _, err := summarizeBytes(t, path, body[n:]); !errors.Is(err, datafile.ErrCorrupt) {
			t.Fatalf("all but the first %d bytes: %v", n, err)
		}
	}
}

// One flipped bit makes ZSTD into LZ4, whose decoder takes all memory there is
// for bytes that are not.
func TestAFileThatClaimsToBeLZ4IsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		A int64 `parquet:"a,optional"`
	}
	w := parquet.NewGenericWriter[row](f, parquet.Compression(&parquet.Lz4Raw))
	if _, err := w.Write([]row{{1}, {2}}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := datafile.Open(path); !errors.Is(err, datafile.ErrCorrupt) || !strings.Contains(err.Error(), "LZ4") {
		t.Fatalf("got %v", err)
	}
}

func TestAFlippedByteIsAnErrorAndNoPanic(t *testing.T) {
	body := small(t)
	path := filepath.Join(t.TempDir(), "x.parquet")
	whole, err := summarizeBytes(t, path, body)
	if err != nil {
		t.Fatal(err)
	}
	tries, unnoticed := 0, 0
	for i := 0; i < len(body); i += 29 {
		flip := [...]byte{0x01, 0x80, 0xff}[i%3]
		body[i] ^= flip
		s, err := summarizeBytes(t, path, body)
		body[i] ^= flip
		tries++
		if err == nil && s.Digest != whole.Digest {
			unnoticed++ // by Parquet, whose headers have no checksum; the digest tells
		}
	}
	if unnoticed > tries/100 {
		t.Errorf("%d flips of %d gave other rows without an error", unnoticed, tries)
	}
}

// TestADamagedFooterIsAnErrorAndNoPanic flips bits of the schema, which is the
// footer's beginning, and where parquet-go has no checksum and panics.
func TestADamagedFooterIsAnErrorAndNoPanic(t *testing.T) {
	body := small(t)
	path := filepath.Join(t.TempDir(), "x.parquet")
	footer := len(body) - 8 - int(binary.LittleEndian.Uint32(body[len(body)-8:]))
	panics := 0
	for i := footer; i < footer+1500; i++ {
		body[i] ^= 0x01
		_, err := summarizeBytes(t, path, body)
		body[i] ^= 0x01
		if err != nil && strings.Contains(err.Error(), "does not fit together") {
			panics++
		}
	}
	if panics == 0 {
		t.Error("nothing panicked in parquet-go: the guard may go")
	}
}

func TestACallersErrorEndsTheScanAsItIs(t *testing.T) {
	cols, data := table(t, 10)
	path := write(t, cols, data)
	rows := 0
	_, err := datafile.Summarize(path, func([]datafile.Value) error {
		rows++
		return io.EOF
	})
	if err != io.EOF || rows != 1 {
		t.Errorf("got %v after %d rows", err, rows)
	}
}

func TestAFileThatIsNotThereSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	if _, err := datafile.Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if _, err := datafile.Write(filepath.Join(path, "x"), []datafile.Column{{Name: "n", Type: datafile.Type{Kind: datafile.Integer}}},
		[][]datafile.Value{{parquet.Int32Value(1)}}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("write: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	body := small(f)
	f.Add(uint16(0), byte(0), uint16(0), byte(0), uint16(0))
	f.Add(uint16(4), byte(0xff), uint16(10_000), byte(0x40), uint16(0))
	f.Add(uint16(len(body)-8), byte(0x80), uint16(len(body)-20), byte(0x01), uint16(3))
	f.Fuzz(func(t *testing.T, i uint16, a byte, j uint16, b byte, cut uint16) {
		mutated := append([]byte(nil), body...)
		mutated[int(i)%len(body)] ^= a
		mutated[int(j)%len(body)] ^= b
		mutated = mutated[:len(body)-int(cut)%len(body)]
		_, _ = summarizeBytes(t, filepath.Join(t.TempDir(), "x.parquet"), mutated)
	})
}
