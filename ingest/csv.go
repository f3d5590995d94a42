package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
)

// csvDecoding reads CSV: RFC 4180, with a header, or what CSV's options make of it.
//
// An unquoted cell that is the word for NULL, which is the empty one if no other was
// declared, is NULL. An empty cell is otherwise the empty text for a VARCHAR, the
// empty blob for a BLOB, and NULL for all types that have no empty value.
type csvDecoding struct {
	*decoding
	next   csvRecord
	null   string
	header []heading // nil until it is known
	quoted []byte    // scratch for JSON strings
}

// heading is a column of the source.
type heading struct {
	*field
	name []byte // as a JSON string
}

func newCSVDecoding(d *decoding, csv CSV) *csvDecoding {
	if csv.Own {
		d.delimiter = string(csv.Delimiter)
	}
	return &csvDecoding{decoding: d, null: csv.Null, next: csvRecord{
		ahead: d.ahead, limit: d.limit, delimiter: csv.Delimiter, quote: csv.Quote, escape: csv.Escape,
	}}
}

func (c *csvDecoding) all(header []string) error {
	if len(header) > 0 {
		if err := c.bind(header); err != nil {
			return err
		}
	}
	ahead := c.ahead
	for {
		end, ok := ahead.lineEnd(0, c.limit)
		var err error
		switch {
		case !ok && len(ahead.ahead()) == 0:
			return c.ended()
		case !ok:
			err = c.tooLong()
		case len(trimLineEnd(ahead.ahead()[:end])) == 0:
			c.counts.Blanks++
			c.consume(end, 1)
		default:
			err = c.one(c.next.read(end))
			c.consume(c.next.end, c.next.lines)
		}
		if err != nil {
			return err
		}
	}
}

// ended judges a source that is over. What lands may be empty, and no column is missing in
// no record; a table that is read whole has lost its header, and its rows with it.
func (c *csvDecoding) ended() error {
	if c.header == nil && c.record.untimed && len(c.record.columns) > 0 {
		return errors.New("it is empty, without the header that names its columns")
	}
	return nil
}

func (c *csvDecoding) tooLong() error {
	if c.header == nil {
		return fmt.Errorf("%w: its first line has more than %d bytes", ErrHeader, c.limit)
	}
	return c.rejectLong()
}

// one takes the record that was just read.
func (c *csvDecoding) one(problem error) error {
	raw := trimLineEnd(c.ahead.ahead()[:c.next.end])
	if problem == nil {
		problem = checkText(raw)
	}
	if c.header == nil {
		if problem == nil && !c.lineFeeds(raw) {
			problem = errors.New(`its lines end with a carriage return alone, and are read only where they end with a line feed (tr '\r' '\n' makes these)`)
		}
		if problem != nil && beginsAsJSON(raw) {
			return otherForm{is: "seems to be JSON", want: FormatCSV, readable: true}
		}
		if problem != nil {
			return c.mend(fmt.Errorf("%w: its header: %w", ErrHeader, problem), raw)
		}
		c.context = string(raw)
		err := c.bind(c.next.texts())
		if err != nil && beginsAsJSON(raw) {
			return otherForm{is: "seems to be JSON", want: FormatCSV, readable: true}
		}
		return c.mend(err, raw)
	}
	c.record.reset(nil)
	if problem == nil {
		problem = c.fields()
	}
	return c.hand(c.line, raw, problem)
}

// lineFeeds tells whether the header is a line of its own: else all of the source would be
// taken for it.
func (c *csvDecoding) lineFeeds(header []byte) bool {
	return bytes.IndexByte(header, '\r') < 0 || bytes.IndexByte(header, c.next.quote) >= 0
}

// mend adds to what is wrong with a header what to do about it.
func (c *csvDecoding) mend(err error, header []byte) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNotUTF8):
		return fmt.Errorf("%w: convert the file (iconv -f WINDOWS-1252 -t UTF-8 does so with Latin-1)", err)
	}
	bare := err
	if u := (unlike{}); errors.As(err, &u) {
		bare = u.error // what it seems to be explains more
	}
	if d := c.otherDelimiter(header); d != 0 {
		mend := fmt.Sprintf("declare csv: {delimiter: %q}", string(d))
		if !c.record.untimed { // a lookup's is not landed
			mend += ", or land it with --delimiter"
		}
		return unlike{bare, fmt.Sprintf("the delimiter seems to be %q", d), mend}
	}
	return err
}

// otherDelimiter is by what a line of one cell seems to be delimited; 0 where nothing does.
func (c *csvDecoding) otherDelimiter(line []byte) byte {
	if bytes.IndexByte(line, c.next.delimiter) >= 0 {
		return 0
	}
	best, most := byte(0), 0
	for _, d := range []byte(",;\t|") {
		if n := bytes.Count(line, []byte{d}); n > most {
			best, most = d, n
		}
	}
	return best
}

var errNotUTF8 = errors.New("the record is not valid UTF-8")

// checkText tells whether a record is text at all.
func checkText(raw []byte) error {
	if bytes.IndexByte(raw, 0) >= 0 {
		return encodingFlaw(errors.New("there is a NUL byte in the record (want UTF-8; UTF-16 has to be converted)"))
	}
	if !utf8.Valid(raw) {
		return encodingFlaw(errNotUTF8)
	}
	return nil
}

// fields gathers the row that the cells are.
func (c *csvDecoding) fields() error {
	if len(c.next.cells) != len(c.header) {
		seems := ""
		if d := c.otherDelimiter(trimLineEnd(c.ahead.ahead()[:c.next.end])); d != 0 {
			seems = fmt.Sprintf("; its delimiter seems to be %q, and the one that is declared is %q", d, c.next.delimiter)
		}
		return fmt.Errorf("the record has %d cells, the header has %d%s", len(c.next.cells), len(c.header), seems)
	}
	for i, h := range c.header {
		if err := c.fieldOf(h, c.next.cells[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvDecoding) fieldOf(h heading, cell cell) error {
	if !h.declared() {
		return c.keep(h, cell)
	}
	if h.time && len(cell.text) > 0 && !c.saysNull(cell) {
		if err := c.record.setTime(cell.text); err != nil {
			return err
		}
	}
	if h.column < 0 || c.isNull(cell, c.record.columns[h.column].Type) {
		return nil
	}
	return c.record.set(h.field, cell.text)
}

// saysNull tells whether a cell is the word for NULL.
func (c *csvDecoding) saysNull(cell cell) bool { return !cell.quoted && string(cell.text) == c.null }

func (c *csvDecoding) isNull(cell cell, t datafile.Type) bool {
	return c.saysNull(cell) || len(cell.text) == 0 && !t.HasEmpty()
}

// keep adds an undeclared cell to the row's extra, as a JSON string or null.
func (c *csvDecoding) keep(h heading, cell cell) (err error) {
	if c.saysNull(cell) {
		c.record.addExtra(h.name, []byte("null"))
		return nil
	}
	if c.quoted, err = jsontext.AppendQuote(c.quoted[:0], cell.text); err == nil {
		c.record.addExtra(h.name, c.quoted)
	}
	return err
}
