package infer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"strandline/ingest"
)

// source is a file of a sample.
type source struct {
	path      string
	format    ingest.Format
	delimiter byte // of CSV; 0 where its first line has none
	array     bool // of JSON: it begins as an array
	headed    bool // it says how its columns are called
	names     []string
	records   int64
}

// apart is what to do with files that no one stream lands.
const apart = "a stream has one: look at each kind with a DIR of its own (strandline init DIR --from FILE), or convert one"

// detect learns the format from the beginnings of the files, which must be of the same.
func (s *Sample) detect(paths []string) error {
	for _, path := range paths {
		from, err := s.begin(path)
		if err == nil {
			err = s.agree(from)
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", path, ingest.OfFile.About(err))
		}
		s.sources = append(s.sources, from)
	}
	if s.Format == ingest.FormatCSV && s.Delimiter == 0 {
		s.Delimiter = ','
	}
	return nil
}

// begin looks at how a file begins. One of no bytes has no format.
func (s *Sample) begin(path string) (source, error) {
	from := source{path: path}
	file, err := os.Open(path)
	if err != nil {
		return from, err
	}
	defer file.Close()
	plain, err := ingest.Decompress(file, 0)
	if err != nil {
		return from, err
	}
	defer plain.Close()
	head, err := bufio.NewReaderSize(plain, headBytes).Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return from, err
	}
	if len(head) == 0 {
		return from, nil
	}
	from.format, from.delimiter = formatOf(head, errors.Is(err, io.EOF))
	if name := ingest.Foreign(head); from.format == ingest.FormatCSV && name != "" {
		return from, fmt.Errorf("it is %s, which no format reads: unpack or convert it", name)
	}
	from.array = from.format == ingest.FormatJSON && bytes.HasPrefix(textOf(head), []byte("["))
	if from.format == ingest.FormatCSV && s.firstLine == "" {
		s.firstLine = firstLineOf(head)
	}
	return from, nil
}

// agree holds a file against those before it.
func (s *Sample) agree(from source) error {
	switch {
	case from.format == "":
		return nil
	case s.Format == "":
		s.Format = from.format
	case isJSON(from.format) && isJSON(s.Format): // of which the first lines may not tell
	case from.format != s.Format:
		return fmt.Errorf("it seems to be %s, and the files before it are %s: %s of format", from.format, s.Format, apart)
	}
	if from.array {
		s.Format = ingest.FormatJSON // which lines of objects are too
	}
	if i := slices.IndexFunc(s.sources, func(f source) bool { return f.delimiter != 0 && f.delimiter != from.delimiter }); i >= 0 && from.delimiter != 0 {
		return fmt.Errorf("its delimiter seems to be %q, and that of %s %q: %s; once there is a stream of the others, strandline land STREAM FILE --delimiter lands this one too",
			from.delimiter, s.sources[i].path, s.sources[i].delimiter, apart)
	}
	if from.delimiter != 0 {
		s.Delimiter = from.delimiter
	}
	return nil
}

func isJSON(f ingest.Format) bool { return f == ingest.FormatNDJSON || f == ingest.FormatJSON }

// lacking are the files that say how their columns are called, and don't name this one.
func (s *Sample) lacking(name string) []string {
	var out []string
	for _, from := range s.sources {
		if from.headed && !slices.Contains(from.names, name) {
			out = append(out, from.path)
		}
	}
	return out
}
