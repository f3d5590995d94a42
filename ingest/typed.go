package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"

	"strandline/internal/arrowrows"
	"strandline/internal/avrorows"
	"strandline/internal/datafile"
	"strandline/internal/jsonrow"
	"strandline/internal/parquetrows"
	"strandline/landing"
)

// typedFile is a file that says of what types its columns are. Its rows come as
// JSON that keeps every value, and are read on as NDJSON is: so there is one place
// where values are converted, and what is a reject of it can be landed again.
type typedFile interface {
	Names() []string
	Declared() []jsonrow.Declared
	AsText(at jsonrow.Paths)
	Each(limit int, fn func(jsonrow.Row) error) error
}

// schemaSink is a Sink that wants to know what the schema of a typed file says.
type schemaSink interface {
	Declared(fields []jsonrow.Declared) error
}

// openTyped opens a typed file that is held in so many bytes of a local copy.
type openTyped func(copied *os.File, size int64, room jsonrow.Room) (typedFile, error)

// typedFormats are the formats of typed files, with how such a file is opened.
var typedFormats = map[Format]openTyped{
	FormatParquet: func(copied *os.File, size int64, room jsonrow.Room) (typedFile, error) {
		return parquetrows.Open(copied, size, room)
	},
	FormatArrow: func(copied *os.File, size int64, room jsonrow.Room) (typedFile, error) {
		return arrowrows.Open(copied, size, room)
	},
	FormatAvro: func(copied *os.File, size int64, room jsonrow.Room) (typedFile, error) {
		return avrorows.Open(copied, size, room)
	},
}

// typed reads a typed file from r. Its end says what is in it, so it is copied first.
func (d *decoding) typed(r io.Reader, opts Options, open openTyped) (err error) {
	copied, err := os.CreateTemp(opts.Scratch, "typed-")
	if err != nil {
		return fmt.Errorf("make room for a local copy: %w", err)
	}
	defer func() { err = errors.Join(err, copied.Close(), os.Remove(copied.Name())) }()
	size, err := io.Copy(copied, r)
	if err != nil {
		return err
	}
	if err := refuseOther(copied, opts.Format); err != nil {
		return err
	}
	file, err := open(copied, size, opts.Room)
	if err != nil {
		return classed(err)
	}
	return d.rowsOf(file)
}

// refuseOther names what a copy is that is no typed file of the format.
func refuseOther(copied *os.File, want Format) error {
	head := make([]byte, textBytes)
	n, err := copied.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if err := refuseMagic(head[:n], want); err != nil {
		return err
	}
	return refuseText(head[:n], want)
}

func (d *decoding) rowsOf(file typedFile) error {
	if err := d.checkNames(file.Names(), nested); err != nil {
		return err
	}
	if sink, ok := d.sink.(schemaSink); ok {
		if err := sink.Declared(file.Declared()); err != nil {
			return err
		}
	}
	file.AsText(textsOf(d.record.spec))
	d.format = FormatNDJSON
	reader := newJSONDecoding(d)
	err := file.Each(d.limit, func(row jsonrow.Row) error { return d.typedRow(reader, row) })
	return classed(err)
}

// textsOf returns the fields that bytes are read as texts for: all that a stream
// declares but those to which the hexadecimal digits of bytes mean bytes, and JSON. The
// digits could be read as another text or number than the bytes are.
func textsOf(spec landing.Spec) jsonrow.Paths {
	texts := jsonrow.Paths{}
	for _, path := range spec.FieldsOf(spec.EventTime.Column) {
		texts.Set(path, true)
	}
	for _, c := range spec.Columns {
		for _, path := range spec.FieldsOf(c.Name) {
			texts.Set(path, c.Type.Kind != datafile.Blob && c.Type.Kind != datafile.JSON)
		}
	}
	return texts
}

// nested tells whether a source may have a field whose columns may be nested.
func nested(landing.Path) bool { return true }

func (d *decoding) typedRow(reader *jsonDecoding, row jsonrow.Row) error {
	if errors.Is(row.Problem, jsonrow.ErrLong) || len(row.JSON) > d.limit {
		head := row.JSON[:min(len(row.JSON), rawKept)]
		return d.rejectAs(landing.Reject{
			SourcePosition: row.Position, Class: landing.RejectLength, Raw: head, Cut: true,
			Reason: fmt.Sprintf("the row has more than %d bytes as JSON, which is the limit (only its first %d bytes are kept)", d.limit, len(head)),
		})
	}
	d.record.reset(nil)
	problem := typedFlaw(row.Problem)
	if problem == nil {
		problem = explain(reader.object(row.JSON))
	}
	return d.hand(row.Position, row.JSON, problem)
}

// classed gives an error of a typed file its class.
func classed(err error) error {
	for class, fault := range map[error]error{jsonrow.ErrCut: ErrTruncated, jsonrow.ErrDamaged: ErrCorrupt, jsonrow.ErrUnsupported: ErrFormat, jsonrow.ErrLarge: ErrLarge} {
		if errors.Is(err, class) {
			return fmt.Errorf("%w (%w)", fault, err)
		}
	}
	return err
}
