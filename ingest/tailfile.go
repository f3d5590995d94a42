package ingest

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"strandline/internal/digest"
	"strandline/landing"
)

// tailHead is how a file begins: its first line, or its first KiB where that is
// shorter. It never changes while the file is appended to.
type tailHead struct {
	digest digest.Hash
	bytes  int64
}

const tailHeadBytes = 1 << 10

// headOf returns how a file begins; whole is false while it has no line to tell.
func headOf(file *os.File) (head tailHead, whole bool, err error) {
	buf := make([]byte, tailHeadBytes)
	n, err := readAt(file, buf, 0)
	if err != nil {
		return head, false, err
	}
	if isCompressed(buf[:n]) {
		return head, false, fmt.Errorf("%w: it is compressed, and only plain lines can be appended to (leave it out by exclude)", ErrFormat)
	}
	if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
		n = i + 1
	} else if n < len(buf) {
		return head, false, nil
	}
	return tailHead{digest: digest.OfBytes(buf[:n]), bytes: int64(n)}, true, nil
}

// readAt fills buf as far as the file goes.
func readAt(file *os.File, buf []byte, from int64) (int, error) {
	n, err := file.ReadAt(buf, from)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// endOfLines returns the end of the last whole line of [from, size) that ends within
// most bytes, or of the first one where that is longer; from where there is none.
func endOfLines(file *os.File, from, size, most int64) (int64, error) {
	limit := min(size, from+most)
	for end := limit; end > from; {
		start := max(from, end-tailWindow)
		i, err := lineEndIn(file, start, end, bytes.LastIndexByte)
		if err != nil || i >= 0 {
			return i + 1, err
		}
		end = start
	}
	for start := limit; start < size; start += tailWindow {
		i, err := lineEndIn(file, start, min(size, start+tailWindow), bytes.IndexByte)
		if err != nil || i >= 0 {
			return i + 1, err
		}
	}
	return from, nil
}

// lineEndIn returns where in [from, to) a line feed is, -1 if there is none.
func lineEndIn(file *os.File, from, to int64, search func([]byte, byte) int) (int64, error) {
	buf := make([]byte, to-from)
	n, err := readAt(file, buf, from)
	if err != nil {
		return 0, err
	}
	i := search(buf[:n], '\n')
	if i < 0 {
		return -1, nil
	}
	return from + int64(i), nil
}

// lineStarts passes bytes on and remembers where their lines start, until they are
// asked for. It begins with an empty line of its own, so that nothing in the middle of
// a file is taken for the beginning of one.
type lineStarts struct {
	r      io.Reader
	at     int64   // offset of what is read next
	line   int64   // number of the line that starts at starts[0], from 1
	starts []int64 // of lines that may be asked for
}

func newLineStarts(r io.Reader, from int64) *lineStarts {
	l := &lineStarts{r: r, at: from, line: 1, starts: []int64{from}}
	if from > 0 {
		l.at--
		l.r = io.MultiReader(bytes.NewReader([]byte("\n")), r)
	}
	return l
}

func (l *lineStarts) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i := 0; i < n; i++ {
		next := bytes.IndexByte(p[i:n], '\n')
		if next < 0 {
			break
		}
		i += next
		l.starts = append(l.starts, l.at+int64(i)+1)
	}
	l.at += int64(n)
	return n, err
}

// of returns the offset of a line, by its number. Those before it are forgotten.
func (l *lineStarts) of(line int64) int64 {
	l.starts = l.starts[line-l.line:]
	l.line = line
	return l.starts[0]
}

// offsetSink gives records the offsets of their lines.
type offsetSink struct {
	to    Sink
	lines *lineStarts
}

// Add implements Sink.
func (s offsetSink) Add(row landing.Row) error {
	row.SourcePosition = s.lines.of(row.SourcePosition)
	return s.to.Add(row)
}

// Reject implements Sink.
func (s offsetSink) Reject(r landing.Reject) error {
	r.SourcePosition = s.lines.of(r.SourcePosition)
	return s.to.Reject(r)
}
