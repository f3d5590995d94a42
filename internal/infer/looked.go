package infer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"strandline/ingest"
)

const (
	mostNamed = 8  // fields that are named
	mostShown = 60 // bytes of a text of the sample
)

// none says why there is nothing to propose where no record was seen. Any text that is no JSON is
// looked at as CSV, whose first line is no record.
func (s *Sample) none() error {
	if s.firstLine == "" {
		return errors.New("there is no record in it")
	}
	return fmt.Errorf("as csv, since it is no JSON, Parquet, Arrow or Avro, its first line %s holds the names of the columns, and there is no record below it: "+
		"look at a file that has some; or if it is of another format, convert it", shown(s.firstLine))
}

// lookedAt says as what the sample was looked at.
func (s *Sample) lookedAt(columns []column) string {
	var names []string
	for _, c := range columns[:min(len(columns), mostNamed)] {
		names = append(names, shown(c.path.String()))
	}
	if more := len(columns) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if s.Format == ingest.FormatCSV {
		return fmt.Sprintf("csv with the delimiter %q and the columns %s", string(s.Delimiter), strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s with the fields %s", s.Format, strings.Join(names, ", "))
}

// shown quotes a text of the sample, or its beginning.
func shown(text string) string {
	if len(text) > mostShown {
		return fmt.Sprintf("%q…", text[:mostShown])
	}
	return fmt.Sprintf("%q", text)
}

// firstLineOf is the first line of a text that has more than blanks, or "".
func firstLineOf(head []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("\n"))
	return string(bytes.TrimSpace(line))
}
