package parquetrows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// rowsIn counts the rows of a Parquet file that is read in a room.
func rowsIn(t *testing.T, source []byte, room jsonrow.Room) (rows int, err error) {
	t.Helper()
	copied, err := os.Create(filepath.Join(t.TempDir(), "copied"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if _, err := copied.Write(source); err != nil {
		t.Fatal(err)
	}
	f, err := Open(copied, int64(len(source)), room)
	if err != nil {
		return 0, err
	}
	err = f.Each(1<<10, func(jsonrow.Row) error { rows++; return nil })
	return rows, err
}

func TestParquetTakesNoMoreRoomThanThereIs(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	rows := []named{{1, long}, {2, long}, {3, long}}
	none := errors.New("there is none")
	for codec, opt := range map[string]parquet.WriterOption{"zstd": parquet.Compression(&parquet.Zstd), "lz4": parquet.Compression(&parquet.Lz4Raw), "snappy": parquet.Compression(&parquet.Snappy)} {
		data, most := fileOf(t, rows, opt), int64(0)
		for name, c := range map[string]struct {
			room jsonrow.Room
			want error
		}{
			"enough":           {jsonrow.Room{Held: 8 << 20, Unpacked: 4 << 20, Ask: func(n int64) error { most = max(most, n); return nil }}, nil},
			"less than a page": {jsonrow.Room{Held: 900 << 10}, jsonrow.ErrLarge},
			"less than all":    {jsonrow.Room{Unpacked: 2 << 20}, jsonrow.ErrLarge},
			"none at the time": {jsonrow.Room{Ask: func(int64) error { return none }}, none},
		} {
			if n, err := rowsIn(t, data, c.room); !errors.Is(err, c.want) || err == nil && n != 3 {
				t.Errorf("%s, %s: got %d rows, %v, want %v", codec, name, n, err, c.want)
			}
		}
		if most < 1<<20 || most > 8<<20 {
			t.Errorf("%s: asked for %d bytes", codec, most)
		}
	}
}

func TestATextThatRepeatsTheOneBeforeTakesTheRoomOfBoth(t *testing.T) {
	const texts, size = 300, 64 << 10
	offsets := make([]uint32, texts+1)
	for i := range offsets {
		offsets[i] = uint32(i * size)
	}
	page, err := new(delta.ByteArrayEncoding).EncodeByteArray(nil, bytes.Repeat([]byte("x"), texts*size), offsets)
	if err != nil || len(page) > 2*size {
		t.Fatalf("%d bytes, %v", len(page), err)
	}
	h := &format.PageHeader{Type: format.DataPageV2}
	h.DataPageHeaderV2.Valid, h.DataPageHeaderV2.V = true, format.DataPageHeaderV2{NumValues: texts, Encoding: format.DeltaByteArray}
	if n, err := expansionOf(h, page, levels{}); n < texts*size || n > 2*texts*size || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	h.DataPageHeaderV2.V.NumValues--
	if n, err := expansionOf(h, page, levels{}); !errors.Is(err, jsonrow.ErrDamaged) {
		t.Errorf("more than the page says: got %d, %v", n, err)
	}
}

func TestARunTakesTheRoomOfAllItsValues(t *testing.T) {
	run := binary.AppendUvarint(nil, math.MaxInt32<<1)
	run = append(run, 1)
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(run)))
	v1 := func(e format.Encoding) *format.PageHeader {
		h := &format.PageHeader{Type: format.DataPage}
		h.DataPageHeader.Valid, h.DataPageHeader.V = true, format.DataPageHeader{NumValues: 1, Encoding: e}
		return h
	}
	for name, c := range map[string]struct {
		h    *format.PageHeader
		page []byte
		of   levels
	}{
		"places in a dictionary": {v1(format.RLEDictionary), append([]byte{1}, run...), levels{}},
		"levels":                 {v1(format.Plain), append(length, run...), levels{def: 1}},
	} {
		n, err := expansionOf(c.h, c.page, c.of)
		if want := int64(perRun) * (math.MaxInt32 - 1); n != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", name, n, err, want)
		}
	}
}
