package ingest

import (
	"errors"
	"fmt"
	"io"

	"strandline/internal/datafile"
	"strandline/internal/jsonrow"
	"strandline/landing"
)

// Witness is told what a sample of records holds. An error of it ends the sample.
type Witness interface {
	// Names is told how the columns of the source are called, before all else, where it
	// says so.
	Names(names []string)
	// Type is told of what type a field is, before any record, where a schema says so.
	Type(path landing.Path, t datafile.Type) error
	// Record is told of a record: one JSON object with all its fields, as extra would
	// hold them.
	Record(object []byte) error
	// Reject is told of a record that can't be read under any declaration.
	Reject(landing.Reject)
}

// Sample reads records as if nothing was declared of them, up to the end of r or until
// it has had most of them, and tells to what they hold. Records that can't be read under
// any declaration are counted as rejects. r may be compressed.
func Sample(r io.Reader, opts Options, most int64, to Witness) (Counts, error) {
	spec := landing.Spec{Stream: "sample", EventTime: landing.EventTime{Column: nowhere, Unit: landing.UnitISO}}
	d, plain, err := timeless(r, opts, spec)
	if err != nil {
		return Counts{}, err
	}
	defer plain.Close()
	counts, err := d.Decode(plain, &sampler{most: most, to: to})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return counts, err
}

// errEnough ends a sample.
var errEnough = errors.New("the sample is large enough")

type sampler struct {
	seen, most int64
	to         Witness
}

// Named implements namesSink.
func (s *sampler) Named(names []string) { s.to.Names(names) }

// Declared implements schemaSink.
func (s *sampler) Declared(fields []jsonrow.Declared) error {
	for _, f := range fields {
		t, err := datafile.ParseType(f.Type)
		if err != nil {
			return fmt.Errorf("the type of field %q: %w", landing.Path(f.Path), err)
		}
		if err := s.to.Type(f.Path, t); err != nil {
			return err
		}
	}
	return nil
}

// Add hands a record on.
func (s *sampler) Add(row landing.Row) error { return s.take([]byte(row.Extra)) }

// Reject hands on what can't be read, and counts it, so that a source of nothing else ends
// too.
func (s *sampler) Reject(r landing.Reject) error {
	s.to.Reject(r)
	return s.take(nil)
}

func (s *sampler) take(object []byte) error {
	if len(object) > 0 {
		if err := s.to.Record(object); err != nil {
			return err
		}
	}
	if s.seen++; s.seen >= s.most {
		return errEnough
	}
	return nil
}
