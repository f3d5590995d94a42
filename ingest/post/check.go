package post

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/landing"
)

// textFormats are those whose rows are no larger than their bytes. A few bytes of
// another may say a million rows.
var textFormats = []ingest.Format{ingest.FormatNDJSON, ingest.FormatJSON, ingest.FormatCSV}

// rowSize is what a row takes at least, about, in bytes.
const rowSize = 32

// check decodes the body to know what is in it. A body that can't be read lands nothing,
// and neither does one whose rows take more than limit, in bytes.
// Too many rejects are not worth the time that they take.
func (p *post) check(ctx context.Context, spec landing.Spec, limit int64) error {
	decoder, err := ingest.NewDecoder(spec, p.options)
	if err != nil {
		return err
	}
	p.options.Room.Ask = nil // landing it takes no more than this, which is kept for it
	c := checking{ctx: ctx, spec: spec, left: limit, unbounded: slices.Contains(textFormats, p.options.Format)}
	counts, err := decoder.Decode(bytes.NewReader(p.body), &c)
	p.outcome.To, p.outcome.Rejects, p.outcome.Reasons = counts.Rows, counts.Rejects, c.reasons
	return err
}

// maxRejects is how many records of a post may be rejects. Each costs many times its
// bytes, and a small body may say a million.
const maxRejects = 10_000

var errTooManyRejects = errors.New("too many records are rejects")

// checking keeps the first reasons for rejects.
type checking struct {
	ctx       context.Context // of the request: nobody waits once it has ended
	spec      landing.Spec
	reasons   []landing.Reason
	rejects   int
	left      int64 // bytes
	unbounded bool
}

// Add implements ingest.Sink.
func (c *checking) Add(r landing.Row) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.unbounded {
		return nil
	}
	size := rowSize + len(r.Extra)
	for i, v := range r.Values {
		switch c.spec.Columns[i].Type.Kind {
		case datafile.Varchar, datafile.JSON, datafile.Blob:
			if !v.IsNull() {
				size += len(v.ByteArray())
			}
		}
	}
	return c.take(size)
}

// Reject implements ingest.Sink.
func (c *checking) Reject(r landing.Reject) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.rejects++; c.rejects > maxRejects {
		return errTooManyRejects
	}
	if len(c.reasons) < maxReasons {
		c.reasons = append(c.reasons, reasonOf(r))
	}
	if c.unbounded {
		return nil
	}
	return c.take(rowSize + len(r.Raw))
}

func (c *checking) take(size int) error {
	if c.left -= int64(size); c.left < 0 {
		return errTooLarge
	}
	return nil
}
