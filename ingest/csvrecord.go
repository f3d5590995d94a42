package ingest

import (
	"bytes"
	"errors"
)

// cell is one field of a CSV record: its text, and whether it stood in quotes,
// which tells the empty text from none.
type cell struct {
	text   []byte
	quoted bool
}

// The ways in which quotes can be wrong.
var (
	errBareQuote  = errors.New("there is a quote inside of an unquoted cell (quote the whole cell and double the quotes in it)")
	errAfterQuote = errors.New("there is text after a cell's closing quote (double the quotes that belong to the cell)")
	errUnclosed   = errors.New("a quote is opened and not closed before the end, or before the limit of a record")
)

// csvRecord reads RFC 4180 records off a lookahead. encoding/csv would do but
// for three things: it can't tell "" from nothing, it folds the line ends
// inside of quotes, and it loses the rest of a source to an unclosed quote.
//
// Where a quote is bad, the record is rejected up to the end of the line on
// which that shows, and reading goes on with the next line: what may have been
// inside of quotes is never guessed to be a record. Where a quote is never
// closed it can't have been meant to open a cell of many lines; so the record
// is rejected up to the end of that quote's own line, and reading goes on there.
type csvRecord struct {
	ahead     *lookahead
	delimiter byte
	quote     byte
	escape    byte // 0: quotes are doubled
	limit     int  // bytes of a record

	end   int   // offset after the record's last line
	stop  int   // offset of that line's end characters
	lines int64 // how many lines the record has
	at    int   // offset of the next cell
	spans []span
	cells []cell // valid until the record is consumed
	text  []byte // of cells with doubled quotes
}

// span is where a cell's text lies. Offsets stay right when the bytes ahead
// move to make room for more.
type span struct {
	from, to        int
	quoted, escaped bool
}

// read reads the record ahead, whose first line ends at offset end, without
// consuming it. With an error, end and lines say what to reject.
func (c *csvRecord) read(end int) error {
	c.at, c.end, c.lines, c.spans = 0, 0, 0, c.spans[:0]
	c.extend(end)
	for more := true; more; {
		var err error
		if more, err = c.scan(); err != nil {
			return err
		}
	}
	c.resolve()
	return nil
}

// extend makes the line that ends at offset end the record's last.
func (c *csvRecord) extend(end int) {
	line := c.ahead.ahead()[c.end:end]
	c.stop = c.end + len(trimLineEnd(line))
	c.end = end
	c.lines++
}

// scan finds the cell at c.at and tells whether there is one after it.
func (c *csvRecord) scan() (more bool, err error) {
	rest := c.ahead.ahead()[c.at:c.stop]
	if len(rest) > 0 && rest[0] == c.quote {
		return c.scanQuoted()
	}
	n := bytes.IndexByte(rest, c.delimiter)
	more = n >= 0
	if !more {
		n = len(rest)
	}
	if bytes.IndexByte(rest[:n], c.quote) >= 0 {
		return false, errBareQuote
	}
	c.add(span{from: c.at, to: c.at + n})
	return more, nil
}

func (c *csvRecord) scanQuoted() (more bool, err error) {
	s := span{from: c.at + 1, quoted: true}
	end, lines := c.end, c.lines // of the line with the opening quote
	for at := s.from; ; {
		i := c.indexSpecial(c.ahead.ahead()[at:c.end])
		if i < 0 {
			at = c.end
			if next, ok := c.ahead.lineEnd(c.end, c.limit); ok {
				c.extend(next)
				continue
			}
			c.end, c.lines = end, lines
			return false, errUnclosed
		}
		s.to, at = at+i, at+i+1
		switch {
		case c.ahead.ahead()[s.to] != c.quote: // an escape, of what comes next if anything does
			s.escaped, at = true, min(at+1, c.end)
		case at == c.stop:
			c.add(s)
			return false, nil
		case c.ahead.ahead()[at] == c.quote:
			s.escaped, at = true, at+1
		case c.ahead.ahead()[at] == c.delimiter:
			c.add(s)
			return true, nil
		default:
			return false, errAfterQuote
		}
	}
}

// add keeps a cell and moves past it and its delimiter.
func (c *csvRecord) add(s span) {
	c.spans = append(c.spans, s)
	c.at = s.to + 1
	if s.quoted {
		c.at++
	}
}

// resolve turns spans into cells, now that the bytes ahead stay where they are.
func (c *csvRecord) resolve() {
	c.cells, c.text = c.cells[:0], c.text[:0]
	for _, s := range c.spans {
		text := c.ahead.ahead()[s.from:s.to]
		if s.escaped {
			text = c.unescape(text)
		}
		c.cells = append(c.cells, cell{text: text, quoted: s.quoted})
	}
}

// indexSpecial returns where the first quote or escape is, or -1.
func (c *csvRecord) indexSpecial(text []byte) int {
	i := bytes.IndexByte(text, c.quote)
	if c.escape == 0 {
		return i
	}
	if i >= 0 {
		text = text[:i]
	}
	if j := bytes.IndexByte(text, c.escape); j >= 0 {
		return j
	}
	return i
}

// unescape leaves out each quote or escape that only takes the meaning from the
// character after it.
func (c *csvRecord) unescape(text []byte) []byte {
	from := len(c.text)
	for {
		i := c.indexSpecial(text)
		if i < 0 || i+1 == len(text) {
			c.text = append(c.text, text...)
			return c.text[from:]
		}
		c.text = append(append(c.text, text[:i]...), text[i+1])
		text = text[i+2:]
	}
}

// texts returns the texts of the cells.
func (c *csvRecord) texts() []string {
	out := make([]string, len(c.cells))
	for i, cell := range c.cells {
		out[i] = string(cell.text)
	}
	return out
}
