package parquetrows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/jsonrow"
)

type named struct {
	ID   int64  `parquet:"id"`
	Name string `parquet:"name"`
}

// fileOf is a Parquet file of rows, two in a row group.
func fileOf[T any](t testing.TB, rows []T, opts ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, append(opts, parquet.MaxRowsPerRowGroup(2))...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAParquetFileBehindAnotherIsNotTakenForIt(t *testing.T) {
	a := fileOf(t, []named{{1, "a1"}, {2, "a2"}, {3, "a3"}})
	b := fileOf(t, []named{{1, "b1"}, {2, "b2"}, {3, "b3"}})
	long := fileOf(t, []named{{1, "b1"}, {2, "b2"}, {3, "b3"}, {4, "b4"}, {5, "b5"}})
	none := fileOf[named](t, nil)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, data := range map[string][]byte{
		"alike": join(a, b), "three": join(a, b, a), "a longer one": join(a, long), "behind a longer one": join(long, b),
		"without rows": join(a, none), "behind one without": join(none, a), "behind a cut one": join(long[:len(long)-20], b), "behind a beginning": join(a[:100], b),
	} {
		if n, err := readRows(t, data); !errors.Is(err, jsonrow.ErrUnsupported) || !strings.Contains(err.Error(), "several files in one") {
			t.Errorf("%s: got %d rows, %v", name, n, err)
		}
	}
}

func TestWhatStandsBetweenTheColumnsAndTheFooterOfParquetIsLeftAlone(t *testing.T) {
	// Values and what programs put before the footer may have the magic bytes, too.
	whole := fileOf(t, []named{{1, "PAR1"}, {2, "PAR1PAR1"}, {3, ""}})
	footer := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	for _, between := range []string{"", strings.Repeat("\x00", 1<<20), strings.Repeat("PAR1", 50_000), "PAR1\x15\x00\x15\x0e\x15\x0e"} {
		data := bytes.Join([][]byte{whole[:footer], []byte(between), whole[footer:]}, nil)
		if n, err := readRows(t, data); n != 3 || err != nil {
			t.Errorf("%d bytes of %.12q: got %d rows, %v", len(between), between, n, err)
		}
	}
}
