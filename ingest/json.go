package ingest

import (
	"bytes"
	"fmt"
)

// documentDecoding reads JSON that is not cut into lines: one value, values one
// after another, or arrays, whose elements are the records. Nothing of it is
// held in memory but the record being read, so an array may be of any length.
//
// A record's place among them is its source position, from 1. Where a record's
// brackets and quotes fit together, what else is wrong with it makes it a
// reject. Where they don't, or where a comma is missing or one too many, nothing
// tells any more where a record begins, and the whole source is refused.
type documentDecoding struct {
	*jsonDecoding
	records int64
	within  bool // an array
	expects expectation
}

// expectation is what may come next within an array.
type expectation int

const (
	elementOrEnd expectation = iota // after [
	commaOrEnd                      // after an element
	element                         // after a comma
)

func newDocumentDecoding(d *decoding) *documentDecoding {
	return &documentDecoding{jsonDecoding: newJSONDecoding(d)}
}

func (d *documentDecoding) all() error {
	for {
		next, ok := d.skipSpace()
		switch {
		case !ok && d.within && d.ahead.failure() == nil:
			return fmt.Errorf("%w (an array is not closed)", ErrTruncated)
		case !ok:
			return nil
		}
		if err := d.step(next); err != nil {
			return err
		}
	}
}

// step takes what begins with next: a record, or what stands between two.
func (d *documentDecoding) step(next byte) error {
	switch {
	case next == '[' && !d.within:
		d.within, d.expects = true, elementOrEnd
	case next == ']' && d.within && d.expects != element:
		d.within = false
	case next == ',' && d.within && d.expects == commaOrEnd:
		d.expects = element
	case next == ']' || next == '}' || next == ',':
		return d.lost(fmt.Sprintf("%q stands where a value should begin", next))
	case d.within && d.expects == commaOrEnd:
		return d.lost("there is no comma between two elements of an array")
	default:
		d.expects = commaOrEnd
		return d.element()
	}
	d.consume(1, 0)
	return nil
}

// lost says that records can't be told apart from here on.
func (d *documentDecoding) lost(why string) error {
	return fmt.Errorf("%w (line %d, after record %d: %s)", ErrSyntax, d.line, d.records, why)
}

// skipSpace consumes the space ahead and returns the byte after it, or not ok at
// the end of the source.
func (d *documentDecoding) skipSpace() (next byte, ok bool) {
	for {
		for i, c := range d.ahead.ahead() {
			if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
				d.take(i)
				return c, true
			}
		}
		d.take(len(d.ahead.ahead()))
		if !d.ahead.more() {
			return 0, false
		}
	}
}

// take consumes n bytes and counts the lines that end in them.
func (d *documentDecoding) take(n int) {
	d.consume(n, int64(bytes.Count(d.ahead.ahead()[:n], []byte("\n"))))
}

// element reads the value ahead as one record.
func (d *documentDecoding) element() error {
	var extent valueExtent
	for end := 0; ; {
		n, done, err := extent.feed(d.ahead.ahead()[end:])
		end += n
		switch {
		case err != nil:
			return d.lost(err.Error())
		case done:
			return d.whole(end)
		case end > d.limit:
			return d.tooLong(&extent)
		case !d.ahead.more():
			return d.atEnd(&extent, end)
		}
	}
}

// atEnd takes the value that the end of the source cuts, or ends.
func (d *documentDecoding) atEnd(extent *valueExtent, end int) error {
	if err := d.checkEnd(extent); err != nil {
		return err
	}
	return d.whole(end)
}

// checkEnd says whether a value may end where the source does.
func (d *documentDecoding) checkEnd(extent *valueExtent) error {
	if err := d.ahead.failure(); err != nil {
		return err
	}
	if !extent.endsWithSource() {
		return fmt.Errorf("%w (record %d is not closed)", ErrTruncated, d.records+1)
	}
	return nil
}

// whole hands on the record that the bytes up to end are.
func (d *documentDecoding) whole(end int) error {
	d.records++
	defer d.take(end)
	raw := d.ahead.ahead()[:end]
	if end > d.limit {
		return d.rejectTooLong(d.records, raw[:min(end, rawKept)], int64(end))
	}
	return d.hand(d.records, raw, d.read(raw, 0))
}

// tooLong rejects the record ahead for its length, without holding more of it
// than was read until now.
func (d *documentDecoding) tooLong(extent *valueExtent) error {
	head := bytes.Clone(d.ahead.ahead()[:min(len(d.ahead.ahead()), rawKept)])
	length, done := int64(len(d.ahead.ahead())), false
	d.take(len(d.ahead.ahead()))
	for !done {
		if !d.ahead.more() {
			if err := d.checkEnd(extent); err != nil {
				return err
			}
			break
		}
		n, ended, err := extent.feed(d.ahead.ahead())
		if err != nil {
			return d.lost(err.Error())
		}
		d.take(n)
		length, done = length+int64(n), ended
	}
	d.records++
	return d.rejectTooLong(d.records, head, length)
}
