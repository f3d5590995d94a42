// Package infer looks at a sample of somebody's records and proposes a declaration for
// them, with what speaks against it. It proposes to a person: at run time nothing is
// inferred.
package infer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
}

// Files looks at files, which are of one format. Compression is taken off.
func Files(paths []string) (*Sample, error) {
	s, err := look(paths, nil)
	if err == nil && s.lacksHeader() {
		return look(paths, s.fields.madeUp())
	}
	return s, err
}

// look looks at files, which have that header if they have none of their own.
func look(paths, header []string) (*Sample, error) {
	s := &Sample{fields: newFields(), Whole: true, Header: header}
	for i, path := range paths {
		if err := s.file(path, i == 0); err != nil {
			return nil, fmt.Errorf("look at %s: %w", path, ingest.OfFile.About(err))
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

func (s *Sample) file(path string, first bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := s.detect(file, first); err != nil {
		return err
	}
	s.unread.path = path
	left := maxRecords - s.Records - s.Unread
	if left <= 0 {
		s.Whole = false
		return nil
	}
	opts := ingest.Options{Format: s.Format, CSV: ingest.CSV{Delimiter: s.Delimiter, Header: s.Header}}
	counts, err := ingest.Sample(file, opts, left, s)
	s.Records, s.Unread = s.Records+counts.Rows, s.Unread+counts.Rejects
	s.Whole = s.Whole && counts.Rows+counts.Rejects < left
	if errors.Is(err, ingest.ErrHeader) {
		err = fmt.Errorf("%w (if it begins with no names, declare them by hand: csv: {header: […]})", err)
	}
	return err
}

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

// detect learns the format from the beginning of a file, and rewinds it. Files after the
// first must be of the same.
func (s *Sample) detect(file *os.File, first bool) error {
	plain, err := ingest.Decompress(file, 0)
	if err != nil {
		return err
	}
	defer plain.Close()
	head, err := bufio.NewReaderSize(plain, headBytes).Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	format, delimiter := formatOf(head, errors.Is(err, io.EOF))
	switch name := ingest.Foreign(head); {
	case format == ingest.FormatCSV && name != "":
		return fmt.Errorf("it is %s, which no format reads: unpack or convert it", name)
	case first:
		s.Format, s.Delimiter = format, delimiter
	case format != s.Format && len(head) > 0 && !(isJSON(format) && isJSON(s.Format)): // of which the first lines may not tell
		return fmt.Errorf("it seems to be %s, and the files before it are %s: a stream has one format; look at each kind with a DIR of its own, or convert one", format, s.Format)
	}
	if s.Format == ingest.FormatCSV && s.firstLine == "" {
		s.firstLine = firstLineOf(head)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

func isJSON(f ingest.Format) bool { return f == ingest.FormatNDJSON || f == ingest.FormatJSON }
