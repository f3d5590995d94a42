package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/packed"
)

// packedChunk is a chunk as checkpoints hold it: a column for each field, so that
// one can be read of all receipts without the others, and a receipt without its
// neighbours. What readChunk lets pass can be read without error, whatever it says.
//
// The bytes are a function of the receipts alone: of them two processes write the
// same ones.
type packedChunk struct {
	bytes []byte
	len   int

	partitions packed.Texts
	// start and end, which is seconds later, in seconds since 1970 and nanoseconds.
	start, startNanos, seconds, endNanos packed.Ints
	streams                              []*streamColumn
	inputRows                            packed.Ints
	inputs                               packed.Blocks
	codes                                []digest.Hash
	code                                 packed.Ints // which of codes
	rows                                 packed.Ints
	sums                                 packed.Blocks
	columns                              [][]datafile.Column
	column                               packed.Ints // which of columns
	files                                fileColumns
	of                                   []*inputColumn // what inputs are of
	repeated                             packed.Ints    // not of the bytes: see packRepeated
}

// streamColumn says up to which position of a stream each receipt has read, if it
// reads the stream at all.
type streamColumn struct {
	stream      string
	reads, upTo packed.Ints
}

// fileColumns are the files of all receipts of a chunk, in their order.
type fileColumns struct {
	len         int
	of          packed.Ends // the files of each receipt
	ids         packed.IDs
	rows, bytes packed.Ints
	digests     packed.Blocks
}

// words are columns of tables that came before, by their JSON: nearly all chunks
// have the same ones.
type words map[string][]datafile.Column

// readChunk reads a chunk of data, which must not change.
func readChunk(data []byte, known words) (*packedChunk, error) {
	r := packed.NewReader(data)
	c := &packedChunk{bytes: data, len: r.Count(1)}
	n := c.len
	c.partitions = r.Texts(n)
	c.start, c.startNanos, c.seconds, c.endNanos = r.Ints(n), r.Ints(n), r.Ints(n), r.Ints(n)
	for _, stream := range r.Words() {
		c.streams = append(c.streams, &streamColumn{stream, r.Ints(n), r.Ints(n)})
	}
	c.inputRows, c.inputs = r.Ints(n), r.Blocks(n, len(digest.Hash{}))
	codes, err := packed.Values(r, hashOf)
	if err != nil {
		return nil, fmt.Errorf("fingerprints: %w", err)
	}
	c.codes, c.code = codes, r.Ints(n)
	c.rows, c.sums = r.Ints(n), r.Blocks(n, packed.SumBytes)
	if c.columns, err = packed.Values(r, known.of); err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	c.column = r.Ints(n)
	c.files = readFiles(r, n)
	c.of = readInputs(r, n)
	if err := r.Done(); err != nil {
		return nil, err
	}
	return c, c.check()
}

func (w words) of(text string) ([]datafile.Column, error) {
	columns, known := w[text]
	if known {
		return columns, nil
	}
	columns, err := packed.OfJSON[[]datafile.Column](text)
	w[text] = columns
	return columns, err
}

func readFiles(r *packed.Reader, n int) (f fileColumns) {
	f.of, f.len = r.Ends(n)
	f.ids, f.rows, f.bytes = r.IDs(f.len), r.Ints(f.len), r.Ints(f.len)
	f.digests = r.Blocks(f.len, len(digest.Hash{}))
	return f
}

var errOrder = errors.New("partitions out of order")

func (c *packedChunk) check() error {
	if c.len == 0 {
		return errors.New("a chunk without receipts")
	}
	if !choices(&c.code, c.len, len(c.codes)) || !choices(&c.column, c.len, len(c.columns)) {
		return errors.New("a number that is no word's")
	}
	var before []byte
	whole := c.wholeSeconds()
	for i := range c.len {
		partition := c.partitions.Bytes(i)
		if i > 0 && bytes.Compare(before, partition) >= 0 {
			return errOrder
		}
		before = partition
		if whole {
			continue
		}
		if start, end := c.interval(i); !start.Before(end) {
			return fmt.Errorf("the receipt of partition %s is of [%s, %s)", partition, start, end)
		}
	}
	return nil
}

// wholeSeconds tells whether all partitions are of the same number of seconds, and begin
// at a second: then each ends after it starts.
func (c *packedChunk) wholeSeconds() bool {
	const century = 100 * 366 * 24 * 60 * 60
	same := c.seconds.Constant() && c.startNanos.Constant() && c.endNanos.Constant() && c.startNanos.At(0) == 0 && c.endNanos.At(0) == 0
	return same && 0 < c.seconds.At(0) && c.seconds.At(0) < century
}

// choices tells whether all n numbers of a column are those of one of that many.
func choices(c *packed.Ints, n, many int) bool {
	for i := range n {
		if at := c.At(i); at < 0 || at >= int64(many) {
			return false
		}
		if c.Constant() {
			break
		}
	}
	return true
}

func (c *packedChunk) find(partition string) (at int, found bool) {
	looked := []byte(partition)
	return sort.Find(c.len, func(i int) int { return bytes.Compare(looked, c.partitions.Bytes(i)) })
}

func (c *packedChunk) interval(i int) (start, end time.Time) {
	from := c.start.At(i)
	return time.Unix(from, c.startNanos.At(i)).UTC(), time.Unix(from+c.seconds.At(i), c.endNanos.At(i)).UTC()
}

// read returns up to which position of a stream the receipt at i has read.
func (c *packedChunk) read(stream string, i int) (upTo int64, reads bool) {
	for _, s := range c.streams {
		if s.stream == stream {
			return s.upTo.At(i), s.reads.At(i) != 0
		}
	}
	return 0, false
}

func (c *packedChunk) furthest() map[string]int {
	found := map[string]int{}
	for _, s := range c.streams {
		if at, reads := s.furthest(c.len); reads {
			found[s.stream] = at
		}
	}
	return found
}

// furthest returns which of n receipts is the first that has read the stream furthest, if
// any reads it.
func (s *streamColumn) furthest(n int) (at int, reads bool) {
	most := int64(0)
	for i := range n {
		if upTo := s.upTo.At(i); (!reads || upTo > most) && s.reads.At(i) != 0 {
			at, most, reads = i, upTo, true
		}
	}
	return at, reads
}

func (c *packedChunk) positions(i int) Positions {
	p := make(Positions, len(c.streams))
	for _, s := range c.streams {
		if s.reads.At(i) != 0 {
			p[s.stream] = s.upTo.At(i)
		}
	}
	return p
}

func (c *packedChunk) inputDigest(i int) digest.Hash { return digest.Hash(c.inputs.At(i)) }

func (c *packedChunk) fingerprint(i int) digest.Hash { return c.codes[c.code.At(i)] }

// receipt unpacks the receipt at i.
func (c *packedChunk) receipt(i int) Receipt {
	start, end := c.interval(i)
	return Receipt{
		Partition: c.partitions.At(i), Start: start, End: end, Positions: c.positions(i),
		InputRows: c.inputRows.At(i), InputDigest: c.inputDigest(i), Inputs: c.inputsOf(i), Fingerprint: c.fingerprint(i),
		Rows: c.rows.At(i), RowDigest: packed.NewReader(c.sums.At(i)).Sum(),
		Columns: c.columns[c.column.At(i)], Files: c.files.list(i), Repeated: c.repeated.At(i),
	}
}

// receipts unpacks all.
func (c *packedChunk) receipts() []*Receipt {
	many, list := make([]Receipt, c.len), make([]*Receipt, c.len)
	for i := range many {
		many[i] = c.receipt(i)
		list[i] = &many[i]
	}
	return list
}

// list unpacks the files of the receipt at i; nil if it has none.
func (f *fileColumns) list(i int) []File {
	from, to := f.of.At(i)
	if from == to {
		return nil
	}
	files := make([]File, 0, to-from)
	for at := from; at < to; at++ {
		files = append(files, File{f.ids.At(at), f.rows.At(at), f.bytes.At(at), digest.Hash(f.digests.At(at))})
	}
	return files
}
