package ingest

import (
	"fmt"
	"io"

	"strandline/internal/datafile"
	"strandline/landing"
)

// Rows reads records that have no event time, all of which have to be rows of the
// columns: take gets the values of each, in the columns' order, which are only valid
// during the call. The first record that can't be read is an error. r may be compressed.
func Rows(r io.Reader, opts Options, columns []datafile.Column, take func([]datafile.Value) error) error {
	spec := landing.Spec{EventTime: landing.EventTime{Column: nowhere, Unit: landing.UnitISO}, Columns: columns}
	d, plain, err := timeless(r, opts, spec)
	if err != nil {
		return err
	}
	defer plain.Close()
	_, err = d.Decode(plain, rowsOnly(take))
	return err
}

// timeless is a decoder of records that have no event time, and what it is to read.
func timeless(r io.Reader, opts Options, spec landing.Spec) (*Decoder, io.ReadCloser, error) {
	opts.Optional = append(opts.Optional, nowhere)
	d, err := NewDecoder(spec, opts)
	if err != nil {
		return nil, nil, err
	}
	d.schema.untimed = true
	plain, err := Decompress(r, opts.MaxWindow)
	return d, plain, err
}

// nowhere is the name of a field that no record has: names are UTF-8.
const nowhere = "\xff"

// rowsOnly is a sink for rows, and no rejects.
type rowsOnly func([]datafile.Value) error

// Add hands a row on.
func (take rowsOnly) Add(row landing.Row) error { return take(row.Values) }

// Reject ends the reading.
func (rowsOnly) Reject(r landing.Reject) error {
	return fmt.Errorf("the record at line or row %d can't be read: %s", r.SourcePosition, r.Reason)
}
