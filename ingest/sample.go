package ingest

import (
	"errors"
	"io"

	"strandline/landing"
)

// Sample reads records as if nothing was declared of them, up to the end of r or until
// it has had most of them: see gets each as one JSON object with all its fields, as
// extra would hold them. Records that can't be read under any declaration are counted
// as rejects. r may be compressed.
func Sample(r io.Reader, opts Options, most int64, see func(object []byte) error) (Counts, error) {
	spec := landing.Spec{Stream: "sample", EventTime: landing.EventTime{Column: nowhere, Unit: landing.UnitISO}}
	d, plain, err := timeless(r, opts, spec)
	if err != nil {
		return Counts{}, err
	}
	defer plain.Close()
	counts, err := d.Decode(plain, &sampler{most: most, see: see})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return counts, err
}

// errEnough ends a sample.
var errEnough = errors.New("the sample is large enough")

type sampler struct {
	seen, most int64
	see        func(object []byte) error
}

// Add hands a record on.
func (s *sampler) Add(row landing.Row) error { return s.take([]byte(row.Extra)) }

// Reject counts what can't be read, so that a source of nothing else ends too.
func (s *sampler) Reject(landing.Reject) error { return s.take(nil) }

func (s *sampler) take(object []byte) error {
	if len(object) > 0 {
		if err := s.see(object); err != nil {
			return err
		}
	}
	if s.seen++; s.seen >= s.most {
		return errEnough
	}
	return nil
}
