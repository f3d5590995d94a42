package ingest

import (
	"errors"
	"fmt"
	"io"

	"strandline/landing"
)

// Decoder reads the records of a stream's sources. It is used by one goroutine
// at a time.
type Decoder struct {
	opts   Options
	schema schema
	single *jsonDecoding // of One
}

// NewDecoder returns a decoder for what spec declares.
func NewDecoder(spec landing.Spec, opts Options) (*Decoder, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	schema, err := newSchema(spec)
	if err != nil {
		return nil, err
	}
	return &Decoder{opts: opts.withDefaults(), schema: schema}, nil
}

// Decode reads decompressed bytes up to their end and hands each record to
// sink, as a row or as a reject. It ends early with an error of r or of sink,
// or with ErrHeader; what sink took until then must not be landed.
func (d *Decoder) Decode(r io.Reader, sink Sink) (Counts, error) {
	run := &decoding{
		sink: sink, limit: d.opts.MaxRecord, line: 1, optional: d.opts.Optional,
		record: newRecord(d.schema),
	}
	open, typed := typedFormats[d.opts.Format]
	if typed {
		err := run.typed(r, d.opts, open)
		return run.counts, err
	}
	err := run.text(r, d.opts)
	return run.counts, err
}

// text reads records that are written as text.
func (d *decoding) text(r io.Reader, opts Options) (err error) {
	d.ahead, d.format = newLookahead(r), opts.Format
	head := d.ahead.peek(longestMagic)
	if err := refuseForeign(head, opts.Format); err != nil {
		return err
	}
	if len(head) < longestMagic && d.ahead.failure() == nil && isBeginning(head, textMagics) {
		return errCutMagic
	}
	strange := len(unindented(head)) > 0 && !beginsAsJSON(head)
	d.ahead.skipBOM()
	switch opts.Format {
	case FormatCSV:
		err = newCSVDecoding(d, opts.CSV).all(opts.CSV.Header)
	case FormatJSON:
		if err = newDocumentDecoding(d).all(); strange && errors.Is(err, ErrSyntax) {
			err = fmt.Errorf("%w; it does not begin as JSON does, so look whether it is of another format, such as CSV", err)
		}
	default:
		err = newJSONDecoding(d).lines()
	}
	if err == nil {
		err = d.ahead.failure()
	}
	return err
}

// decoding is what reading one source needs in any format.
type decoding struct {
	ahead     *lookahead
	sink      Sink
	limit     int   // bytes of one record, with its line end
	line      int64 // number of the line ahead, from 1
	optional  []string
	format    Format // of the rejects
	context   string // of the rejects: what is needed to read them again
	delimiter string // of the rejects, where it is not the stream's
	record    record
	counts    Counts
}

// hand gives the sink the record that began at line: the row that was
// gathered or, where there is a problem with it, a reject.
func (d *decoding) hand(line int64, raw []byte, problem error) error {
	var row landing.Row
	if problem == nil {
		row, problem = d.record.finish(line)
	}
	if problem != nil {
		return d.rejectAs(landing.Reject{SourcePosition: line, Reason: problem.Error(), Class: classOf(problem), Raw: raw})
	}
	d.counts.Rows++
	return d.sink.Add(row)
}

// rejectAs adds to a reject what those of this source have in common.
func (d *decoding) rejectAs(r landing.Reject) error {
	d.counts.Rejects++
	if r.Cut {
		d.counts.Cut++
	}
	r.Format, r.Context, r.Delimiter = string(d.format), d.context, d.delimiter
	return d.sink.Reject(r)
}

// rejectLong rejects the line ahead for its length, without ever holding more
// of it than there is ahead.
func (d *decoding) rejectLong() error {
	head, length := d.ahead.skipLine(rawKept)
	line := d.line
	d.line++
	return d.rejectTooLong(line, head, length)
}

// rejectTooLong rejects a record of so many bytes that begins with head.
func (d *decoding) rejectTooLong(position int64, head []byte, length int64) error {
	return d.rejectAs(landing.Reject{
		SourcePosition: position, Class: landing.RejectLength, Raw: head, Cut: int64(len(head)) < length,
		Reason: fmt.Sprintf("the record has %d bytes, more than the limit of %d (only its first %d bytes are kept)", length, d.limit, len(head)),
	})
}

// consume moves past the end of a record that ends at offset end and took so
// many lines.
func (d *decoding) consume(end int, lines int64) {
	d.ahead.consume(end)
	d.line += lines
}
