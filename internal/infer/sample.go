// Package infer looks at a sample of somebody's records and proposes a declaration for
// them, with what speaks against it. It proposes to a person: at run time nothing is
// inferred.
package infer

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/landing"
)

const (
	maxRecords = 50_000 // of all files of a sample together
	maxDepth   = 3      // of objects whose fields become columns
	maxColumns = 200    // above it objects stay whole
)

// Sample is what was seen of some records.
type Sample struct {
	Format    ingest.Format
	Delimiter byte // of CSV
	Records   int64
	Header    []string // of CSV that does not begin with the names of its columns: made up ones
	Unread    int64    // records that no declaration reads
	Whole     bool     // there were no more records
	firstLine string   // of CSV: what should name the columns
	fields    *fields
	unread    unread
	sources   []source
	at        *source // that is read
}

// Files looks at files, which are of one format. Compression is taken off.
func Files(paths []string) (*Sample, error) {
	s, err := look(paths, nil)
	if err != nil {
		return nil, err
	}
	header, err := s.header()
	if err != nil || header == nil {
		return s, err
	}
	return look(paths, header)
}

// look looks at files, which have that header if they have none of their own.
func look(paths, header []string) (*Sample, error) {
	s := &Sample{fields: newFields(), Whole: true, Header: header}
	if err := s.detect(paths); err != nil {
		return nil, err
	}
	for i := range s.sources {
		if err := s.file(&s.sources[i]); err != nil {
			return nil, fmt.Errorf("look at %s: %w", s.sources[i].path, ingest.OfFile.About(err))
		}
	}
	if s.Records+s.Unread == 0 {
		return nil, fmt.Errorf("look at %s: %w", strings.Join(paths, ", "), s.none())
	}
	if s.Records == 0 {
		return nil, fmt.Errorf("look at %s as %s: %w", strings.Join(paths, ", "), s.Format, s.unread.error(s.Unread))
	}
	return s, nil
}

func (s *Sample) file(from *source) error {
	file, err := os.Open(from.path)
	if err != nil {
		return err
	}
	defer file.Close()
	s.at, s.unread.path = from, from.path
	left := maxRecords - s.Records - s.Unread
	var to ingest.Witness = s
	if left <= 0 { // but how its columns are called decides whether it lands
		s.Whole, left, to = false, 1, namesOnly{s}
	}
	opts := ingest.Options{Format: s.Format, CSV: ingest.CSV{Delimiter: s.Delimiter, Header: s.Header}}
	counts, err := ingest.Sample(file, opts, left, to)
	if errors.Is(err, ingest.ErrHeader) && !ingest.IsNoText(err) {
		err = fmt.Errorf("%w (if it begins with no names, declare them by hand: csv: {header: […]})", err)
	}
	if _, named := to.(namesOnly); named || err != nil {
		return err
	}
	from.records = counts.Rows
	s.Records, s.Unread = s.Records+counts.Rows, s.Unread+counts.Rejects
	s.Whole = s.Whole && counts.Rows+counts.Rejects < left
	if counts.Rows == 0 && counts.Rejects > 0 && len(s.sources) > 1 {
		return fmt.Errorf("as %s no record of it can be read, where the files should be of one kind: look at it alone (strandline init DIR --from FILE), or leave it out", s.Format)
	}
	return nil
}

// Names implements ingest.Witness.
func (s *Sample) Names(names []string) { s.at.headed, s.at.names = true, names }

// namesOnly is a witness of what a file's columns are called alone.
type namesOnly struct{ *Sample }

// Type implements ingest.Witness.
func (namesOnly) Type(landing.Path, datafile.Type) error { return nil }

// Record implements ingest.Witness.
func (namesOnly) Record([]byte) error { return nil }

// Reject implements ingest.Witness.
func (namesOnly) Reject(landing.Reject) {}

// Type implements ingest.Witness.
func (s *Sample) Type(path landing.Path, t datafile.Type) error {
	s.fields.at(path).declare(t)
	return nil
}

// Record implements ingest.Witness.
func (s *Sample) Record(object []byte) error {
	return s.fields.object(object, s.Format == ingest.FormatCSV, 1)
}

// Reject implements ingest.Witness.
func (s *Sample) Reject(r landing.Reject) { s.unread.add(r) }
