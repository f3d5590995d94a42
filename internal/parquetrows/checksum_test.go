package parquetrows

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/jsonrow"
)

// readRows reads all rows of a Parquet file.
func readRows(t *testing.T, source []byte) (rows int, err error) {
	t.Helper()
	copied, err := os.Create(filepath.Join(t.TempDir(), "copied"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if _, err := copied.Write(source); err != nil {
		t.Fatal(err)
	}
	f, err := Open(copied, int64(len(source)), jsonrow.Room{})
	if err != nil {
		return 0, err
	}
	err = f.Each(1<<20, func(jsonrow.Row) error { rows++; return nil })
	return rows, err
}

// bodies returns where the bytes of a file's pages are: [from, to) each.
func bodies(t *testing.T, source []byte) (found [][2]int64) {
	t.Helper()
	pq, err := parquet.OpenFile(bytes.NewReader(source), int64(len(source)))
	if err != nil {
		t.Fatal(err)
	}
	f := &File{r: bytes.NewReader(source), size: int64(len(source))}
	for _, c := range pq.Metadata().RowGroups[0].Columns {
		at, end, err := f.extent(&c.MetaData)
		for err == nil && at < end {
			h, n, bad := f.pageHeader(at, end)
			if bad != nil {
				t.Fatal(bad)
			}
			found = append(found, [2]int64{at + n, at + n + int64(h.CompressedPageSize)})
			at += n + int64(h.CompressedPageSize)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestAnyChangedBitOfAPageThatHasAChecksumIsFound(t *testing.T) {
	type row struct {
		Text   string `parquet:"text,dict"`
		Number int64  `parquet:"number"`
		Packed int32  `parquet:"packed,delta"` // is written anew
	}
	for _, version := range []int{1, 2} {
		var source bytes.Buffer
		w := parquet.NewGenericWriter[row](&source, parquet.DataPageVersion(version))
		for i := range 20 {
			if _, err := w.Write([]row{{fmt.Sprint("text ", i%3), int64(i), int32(i)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := readRows(t, source.Bytes()); n != 20 || err != nil {
			t.Fatalf("got %d rows, %v", n, err)
		}
		pages := bodies(t, source.Bytes())
		if len(pages) != 4 {
			t.Fatalf("%d pages, not a dictionary and a page for each column", len(pages))
		}
		for _, page := range pages {
			for at := page[0]; at < page[1]; at++ {
				bad := bytes.Clone(source.Bytes())
				bad[at] ^= 1 << (at % 8)
				if _, err := readRows(t, bad); !errors.Is(err, jsonrow.ErrDamaged) {
					t.Errorf("version %d: byte %d: got %v", version, at, err)
				}
			}
		}
	}
}
