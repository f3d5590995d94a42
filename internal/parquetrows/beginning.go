package parquetrows

import (
	"bytes"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

const magic = "PAR1"

// checkBeginning makes sure that the offsets in a footer, which begins at end, are told
// from the beginning of this file. Of one that was put behind another they are not: read
// here, they lead into the other one, whose rows would pass for its own if both are of
// one layout.
//
// Files have more between the magic bytes and the footer than the columns that it tells
// of: padding, indexes, copies of metadata, what programs put there for themselves. So no
// byte is refused for not being told of. But a file that begins elsewhere has to have room
// for its columns between that place and the footer, and they have to be there.
func (f *File) checkBeginning(footer *format.FileMetaData, end int64) error {
	last := int64(len(magic))
	var chunks []extent
	for i := range footer.RowGroups {
		group := &footer.RowGroups[i]
		for j := range group.Columns {
			m := &group.Columns[j].MetaData
			if group.Columns[j].FilePath != "" {
				return fmt.Errorf("%w: it has no rows, but tells of those in other files, such as %q: hand over these", jsonrow.ErrUnsupported, group.Columns[j].FilePath)
			}
			if group.NumRows == 0 { // it may have no pages, see isEmpty
				continue
			}
			from, to, err := f.extent(m)
			if err != nil {
				return fmt.Errorf("row group %d: column %s: %w", i, m.PathInSchema, err)
			}
			chunks, last = append(chunks, extent{from, to}), max(last, to)
		}
	}
	another, err := f.findBeginning(chunks, end-last)
	if another > 0 {
		err = fmt.Errorf("%w: it is several files in one, of which the last begins at byte %d: hand over each by itself", jsonrow.ErrUnsupported, another)
	}
	return err
}

// extent is where a column of a row group lies: [from, to).
type extent struct{ from, to int64 }

// findBeginning returns where another file begins of which these are the columns, no
// later than last; 0 if there is none.
func (f *File) findBeginning(chunks []extent, last int64) (int64, error) {
	buf := make([]byte, min(max(0, last), 64<<10)+int64(len(magic)))
	for at := int64(1); at <= last; {
		part := buf[:min(int64(len(buf)), last-at+int64(len(magic)))]
		if n, err := f.r.ReadAt(part, at); err != nil && err != io.EOF {
			return 0, err
		} else if part = part[:n]; n < len(magic) {
			return 0, nil
		}
		found := bytes.Index(part, []byte(magic))
		if found < 0 {
			at += int64(len(part) - len(magic) + 1)
			continue
		}
		if at += int64(found); f.areAt(chunks, at) {
			return at, nil
		}
		at++
	}
	return 0, nil
}

// areAt tells whether each of these columns has a page where it would be in a file that
// begins at an offset.
func (f *File) areAt(chunks []extent, at int64) bool {
	for _, c := range chunks {
		if _, _, err := f.pageHeader(at+c.from, at+c.to); err != nil {
			return false
		}
	}
	return true
}
