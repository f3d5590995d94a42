package ingest

import "bytes"

// skipBlanks consumes the blank lines ahead that are seen whole already, and tells whether
// there was one. There may be as many as bytes: taken one by one as records are, they would
// cost as much as these. One that may be longer than a record is left to who judges that.
func (j *jsonDecoding) skipBlanks() bool {
	b := j.ahead.ahead()
	if len(b) == 0 || b[0] > ' ' {
		return false
	}
	b = b[:min(len(b), j.limit)]
	b = b[:bytes.LastIndexByte(b[:skipSpace(b, 0)], '\n')+1]
	lines := int64(bytes.Count(b, []byte("\n")))
	j.counts.Blanks += lines
	j.consume(len(b), lines)
	return lines > 0
}

// shortLine is how many bytes lines have on average that are taken for blank ones in part:
// a record with an event time has more.
const shortLine = 16

// fullLines is how many of so many lines of a text are not just a line feed. Where few can
// be, it does not look.
func fullLines(text []byte, lines int) int {
	if len(text) >= lines*shortLine {
		return lines
	}
	for at := 0; at < len(text); at++ {
		if text[at] == '\n' && (at == 0 || text[at-1] == '\n') {
			lines--
		}
	}
	return lines
}
