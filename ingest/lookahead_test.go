package ingest

import (
	"bytes"
	"io"
	"testing"
)

// A buffer is for what is looked at together, and small where the source is.
func TestABufferGrowsWithItsSource(t *testing.T) {
	for _, c := range []struct{ source, buffer int }{
		{100, firstRead}, {firstRead + 1, 2 * firstRead}, {lookaheadSize + 1, lookaheadSize}, {9 * lookaheadSize, lookaheadSize},
	} {
		ahead := newLookahead(struct{ io.Reader }{bytes.NewReader(make([]byte, c.source))})
		read := 0
		for ahead.more() {
			read += len(ahead.ahead())
			ahead.consume(len(ahead.ahead()))
		}
		if read != c.source || len(ahead.buf) != c.buffer {
			t.Errorf("of %d bytes %d were read, with a buffer of %d, want %d", c.source, read, len(ahead.buf), c.buffer)
		}
	}
}
