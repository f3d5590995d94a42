package ingest

import (
	"bytes"
	"io"
)

const (
	// firstRead is how many bytes are read first: many sources are tiny, and a large
	// buffer for each of them costs more than all else that is done with it in memory.
	firstRead     = 8 << 10
	lookaheadSize = 256 << 10 // of the buffer of any other
)

// lookahead is a reader that shows what is ahead before it is consumed, so
// that a record can be looked at as a whole, or given up and begun again
// elsewhere. It grows only as far as its caller asks to see.
type lookahead struct {
	r          io.Reader
	buf        []byte
	start, end int
	err        error // of the reader; io.EOF at the end
}

// newLookahead returns one whose buffer is small at first, or as large as what r says
// that it holds.
func newLookahead(r io.Reader) *lookahead {
	size := firstRead
	if known, ok := r.(interface{ Len() int }); ok {
		size = min(lookaheadSize, known.Len()+1) // one more, to see the end
	}
	return &lookahead{r: r, buf: make([]byte, size)}
}

// lookaheadOf returns one of the bytes that are all there is.
func lookaheadOf(b []byte) *lookahead { return &lookahead{buf: b, end: len(b), err: io.EOF} }

// ahead returns the bytes already read and not consumed. They are valid until
// the next call of more.
func (l *lookahead) ahead() []byte { return l.buf[l.start:l.end] }

// consume moves on by n bytes.
func (l *lookahead) consume(n int) { l.start += n }

// more reads at least one byte more, and tells whether it could.
func (l *lookahead) more() bool {
	if l.end == len(l.buf) {
		l.makeRoom()
	}
	for range 100 {
		if l.err != nil {
			return false
		}
		var n int
		n, l.err = l.r.Read(l.buf[l.end:])
		l.end += n
		if n > 0 {
			return true
		}
	}
	l.err = io.ErrNoProgress
	return false
}

// makeRoom moves the bytes ahead to the front, into a buffer twice the size
// where this one is small or they fill more than half of it.
func (l *lookahead) makeRoom() {
	to := l.buf
	if len(l.buf) < lookaheadSize || 2*(l.end-l.start) > len(l.buf) {
		to = make([]byte, 2*len(l.buf))
	}
	l.end = copy(to, l.ahead())
	l.buf, l.start = to, 0
}

// failure returns the reader's error, nil where it just came to its end.
func (l *lookahead) failure() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

// lineEnd returns where the line that goes on at offset from ends: after its
// line feed, or at the end of the source. Not ok means that the line goes on
// past limit bytes from here, or that there is no byte at from.
func (l *lookahead) lineEnd(from, limit int) (end int, ok bool) {
	for searched := from; ; {
		b := l.ahead()
		if i := bytes.IndexByte(b[searched:], '\n'); i >= 0 {
			end = searched + i + 1
			return end, end <= limit
		}
		if len(b) > limit {
			return 0, false
		}
		searched = len(b)
		if !l.more() {
			return searched, searched > from
		}
	}
}

// lines consumes whole lines of at most size bytes in all, or up to the end of the source,
// and hands over the buffer that they are in. It goes on in other, or in a new one. Not ok
// means that the line ahead goes on past size bytes, or that there is none.
func (l *lookahead) lines(size int, other []byte) (lines []byte, ok bool) {
	for len(l.ahead()) < size && l.more() {
	}
	lines = l.ahead()
	if len(lines) > size || l.err == nil {
		lines = lines[:bytes.LastIndexByte(lines[:min(size, len(lines))], '\n')+1]
	}
	if len(lines) == 0 {
		return nil, false
	}
	rest := l.ahead()[len(lines):]
	if room := max(size, len(rest)); cap(other) < room {
		other = make([]byte, room)
	}
	other = other[:cap(other)]
	l.buf, l.start, l.end = other, 0, copy(other, rest)
	return lines, true
}

// skipLine consumes the line ahead, however long. It returns its first bytes,
// at most keep of them, and its length without the line end.
func (l *lookahead) skipLine(keep int) (head []byte, length int64) {
	for {
		b := l.ahead()
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i]
		}
		if room := keep - len(head); room > 0 {
			head = append(head, part[:min(room, len(part))]...)
		}
		length += int64(len(part))
		if i >= 0 {
			l.consume(i + 1)
			return head, length
		}
		l.consume(len(b))
		if !l.more() {
			return head, length
		}
	}
}

// peek returns the next n bytes, fewer only where the source ends before.
func (l *lookahead) peek(n int) []byte {
	for len(l.ahead()) < n && l.more() {
	}
	return l.ahead()[:min(n, len(l.ahead()))]
}

const bom = "\xef\xbb\xbf"

// skipBOM consumes the byte order mark that some programs begin UTF-8 with.
func (l *lookahead) skipBOM() {
	if bytes.Equal(l.peek(len(bom)), []byte(bom)) {
		l.consume(len(bom))
	}
}

// trimLineEnd cuts the line feed, and a carriage return before it or before
// the end of the source.
func trimLineEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
