package arrowrows

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"strandline/internal/jsonrow"
)

// checkFooter looks at the footer of a file, and holds the file against it: between the
// magic bytes and the footer there is the schema, then the dictionaries and batches that
// the footer tells of, and nothing else. So a file that is put behind another one, whose
// footer would then tell of the other's batches, is found.
func checkFooter(copied *os.File, size int64) error {
	const trailer = 4 + int64(len(fileMagic))
	length := make([]byte, 4)
	if _, err := copied.ReadAt(length, size-trailer); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(length))
	begin := size - trailer - n
	buf, err := section(copied, begin, n, size-trailer)
	if err != nil {
		return err
	}
	root := buf.root()
	blocks := append(buf.blocks(root, 2), buf.blocks(root, 3)...) // dictionaries, record batches
	buf.vector(root, 4, 4)                                        // custom metadata
	if err := buf.schema(buf.follow(buf.slot(root, 1))); err != nil {
		return err
	}
	return checkCovered(copied, blocks, begin)
}

// blocks are where the messages lie that a footer's i-th field tells of.
func (b flat) blocks(footer, i int) []extent {
	const each, metaAt, bodyAt = 24, 8, 16
	first, n := b.vector(footer, i, each)
	all := make([]extent, n)
	for j := range all {
		at := first + each*j
		from := b.i64(at)
		all[j] = extent{from, from + int64(int32(b.u32(at+metaAt))) + b.i64(at+bodyAt)}
	}
	return all
}

// checkCovered makes sure that there are no messages before end but the schema and those
// in blocks.
func checkCovered(copied *os.File, blocks []extent, end int64) error {
	const first = 8 // the magic bytes are filled up to so many
	schema, err := messageAt(copied, first, end)
	if err != nil {
		return jsonrow.Damaged(fmt.Errorf("its first message can't be read: %w", err))
	}
	slices.SortFunc(blocks, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	at := schema.end
	for _, b := range append(blocks, extent{end, end}) {
		if b.from < 0 || b.to < b.from || b.to > end {
			return errSchema
		}
		if b.from > at {
			if err := checkGap(copied, at, b.from); err != nil {
				return err
			}
		}
		at = max(at, b.to)
	}
	return nil
}

// checkGap makes sure that bytes between two messages are what writers fill up with, or
// the mark of a stream's end: fewer of them are not zero than of any message.
func checkGap(copied *os.File, from, to int64) error {
	const most = 2 * len(streamEnd)
	left, other := to-from, 0
	buf := make([]byte, min(left, 64<<10))
	for r := io.NewSectionReader(copied, from, left); left > 0; {
		part := buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(r, part); err != nil {
			return err
		}
		left -= int64(len(part))
		if other += len(part) - bytes.Count(part, []byte{0}); other > most {
			return fmt.Errorf("%w: its footer tells nothing of the %d bytes at %d: is it several files in one? hand over each by itself", jsonrow.ErrUnsupported, to-from, from)
		}
	}
	return nil
}
