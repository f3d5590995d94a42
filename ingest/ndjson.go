package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
	"strandline/landing"
)

// jsonDecoding reads NDJSON: one JSON object a line. It is as strict as
// RFC 8259 and I-JSON: valid UTF-8, no name twice in an object.
type jsonDecoding struct {
	*decoding
	tokens *jsontext.Decoder
	body   bytes.Buffer    // the line that tokens reads
	name   []byte          // scratch for a name with escapes
	filler *landing.Filler // takes rows of plain values, if not nil

	broken  bool // there was the end of a line within a record
	resting int  // lines for which nextAlike is not tried
}

func newJSONDecoding(d *decoding) *jsonDecoding {
	return &jsonDecoding{decoding: d, tokens: new(jsontext.Decoder)}
}

// lines reads all lines: where there are many, in parts.
func (j *jsonDecoding) lines() error {
	if to, ok := j.sink.(filled); ok && len(j.ahead.peek(manyBytes)) == manyBytes {
		return newJSONParts(j, to).all()
	}
	return j.all()
}

// all reads all lines, one after the other.
func (j *jsonDecoding) all() error {
	for {
		if more, err := j.next(); err != nil || !more {
			return err
		}
	}
}

// next reads the line ahead, or all blank ones, and tells whether there was one.
func (j *jsonDecoding) next() (more bool, err error) {
	if j.skipBlanks() {
		return true, nil
	}
	if done, err := j.nextAlike(); done {
		return true, err
	}
	end, ok := j.ahead.lineEnd(0, j.limit)
	switch {
	case ok:
		from := j.ahead.start
		err = j.one(trimLineEnd(j.ahead.buf[:from+end]), from)
		j.consume(end, 1)
		return true, err
	case len(j.ahead.ahead()) > 0:
		return true, j.rejectLong()
	default:
		return false, nil
	}
}

// one reads the line that a text ends with, from a place on.
func (j *jsonDecoding) one(text []byte, from int) error {
	if skipSpace(text, from) == len(text) {
		j.counts.Blanks++
		return nil
	}
	problem := j.read(text, from)
	if j.filler != nil && problem == nil {
		if row, ok := j.record.finishPlain(j.line); ok {
			j.counts.Rows++
			return j.filler.AddPlain(row)
		}
	}
	return j.hand(j.line, text[from:], problem)
}

// read gathers the row that a record is, with which a text ends from a place on, or says
// why it is none.
func (j *jsonDecoding) read(text []byte, from int) error {
	j.record.reset(text)
	if j.scan(text, from) {
		return nil
	}
	j.record.reset(text)
	return explain(j.object(text[from:]))
}

// object gathers the fields of the object that line is.
func (j *jsonDecoding) object(line []byte) error {
	j.body = *bytes.NewBuffer(line)
	j.tokens.Reset(&j.body)
	if err := j.open(); err != nil {
		return err
	}
	for {
		switch j.tokens.PeekKind() {
		case '}':
			return j.close()
		case '"':
			if err := j.member(); err != nil {
				return err
			}
		default:
			return j.unexpected()
		}
	}
}

func (j *jsonDecoding) open() error {
	if kind := j.tokens.PeekKind(); kind != '{' && kind != 0 {
		// The kind is told by the first letter alone: only a whole value has it.
		if _, err := j.tokens.ReadValue(); err != nil {
			return err
		}
		return fmt.Errorf("the record is %s, want one JSON object", describe(kind))
	}
	_, err := j.tokens.ReadToken()
	return err
}

func (j *jsonDecoding) close() error {
	if _, err := j.tokens.ReadToken(); err != nil {
		return err
	}
	if _, err := j.tokens.ReadToken(); err != io.EOF {
		return errors.New("there is something after the JSON object, want one object a record")
	}
	return nil
}

// unexpected returns the error of what stands where a name should.
func (j *jsonDecoding) unexpected() error {
	if _, err := j.tokens.ReadToken(); err != nil {
		return err
	}
	return errors.New("the JSON object has something else than a name in a name's place")
}

func (j *jsonDecoding) member() error {
	name, err := j.tokens.ReadValue()
	if err != nil {
		return err
	}
	f, err := j.lookUp(j.record.fields, name)
	if err != nil {
		return err
	}
	if !f.declared() {
		j.name = append(j.name[:0], name...) // the next read may move it
		name = j.name
	}
	value, err := j.tokens.ReadValue()
	if err != nil {
		return err
	}
	if !f.declared() {
		if err := j.keep(name, value); err != nil || f == nil {
			return err
		}
	}
	return j.field(f, value)
}

// lookUp finds the field of a quoted name, nil where nothing is declared of it.
func (j *jsonDecoding) lookUp(of fields, quoted []byte) (*field, error) {
	name, err := unquote(j.name[:0], quoted)
	return of[string(name)], err
}

// inside reads what is declared of an object that is a field's value.
func (j *jsonDecoding) inside(of fields, object jsontext.Value) error {
	tokens := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := tokens.ReadToken(); err != nil {
		return err
	}
	for tokens.PeekKind() == '"' {
		name, err := tokens.ReadValue()
		if err != nil {
			return err
		}
		f, err := j.lookUp(of, name)
		if err != nil {
			return err
		}
		value, err := tokens.ReadValue()
		if err == nil && f != nil {
			err = j.field(f, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep adds an undeclared field to the row's extra.
func (j *jsonDecoding) keep(name []byte, value jsontext.Value) error {
	value, err := compact(value)
	if err == nil {
		j.record.addExtra(name, value)
	}
	return err
}

// field reads what is declared of a field: what is inside of it, the event time, a
// column, or several of these.
func (j *jsonDecoding) field(f *field, value jsontext.Value) error {
	if f.inner != nil && value.Kind() == '{' {
		if err := j.inside(f.inner, value); err != nil {
			return err
		}
	}
	if !f.declared() || value.Kind() == 'n' {
		return nil // NULL; a missing event time is found at the end
	}
	text, err := j.textOf(value)
	if err != nil {
		return err
	}
	return j.fill(f, value, text)
}

// fill reads the event time, a column, or both from a value that is not null and its
// text.
func (j *jsonDecoding) fill(f *field, value jsontext.Value, text []byte) (err error) {
	if f.time {
		if err := j.time(value.Kind(), text); err != nil || f.column < 0 {
			return err
		}
	}
	if c := &j.record.columns[f.column]; c.Type.Kind == datafile.JSON {
		text, err = compact(value)
	} else if value.Kind() == '{' || value.Kind() == '[' {
		err = columnFlaw(fmt.Errorf("column %s: it holds %s, want %s", c.Name, describe(value.Kind()), c.Type))
	}
	if err != nil {
		return err
	}
	return j.record.set(f, text)
}

// textOf returns a string's text, and of any other value its token. The text
// stays as it is until the row is handed on.
func (j *jsonDecoding) textOf(value jsontext.Value) (text []byte, err error) {
	if value.Kind() != '"' {
		return value, nil
	}
	scratch := j.record.text
	text, err = unquote(scratch[len(scratch):], value)
	if bytes.IndexByte(value, '\\') >= 0 {
		j.record.text = append(scratch, text...) // claims the room that text took
	}
	return text, err
}

func (j *jsonDecoding) time(kind jsontext.Kind, text []byte) error {
	if kind != '"' && kind != '0' {
		return timeFlaw(fmt.Errorf("event time is %s, want a number or a text", describe(kind)))
	}
	return j.record.setTime(text)
}

// unquote returns the text of a JSON string: a part of quoted where it has no
// escapes, else appended to dst.
func unquote(dst, quoted []byte) ([]byte, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	return jsontext.AppendUnquote(dst, quoted)
}
