package ingest

import (
	"bytes"

	"strandline/internal/datafile"
)

// rest is how many lines are read as any other after one that was not like those before:
// there may be more of them, and each would be begun twice.
const rest = 15

// nextAlike reads the line ahead if it is like the one before: a whole record of plain
// values, whose end is found by reading it. Most lines are, and are not looked through for
// their line feed first. Not done says nothing about the line, of which nothing was taken.
func (j *jsonDecoding) nextAlike() (done bool, err error) {
	if j.filler == nil || j.resting > 0 {
		j.resting--
		return false, nil
	}
	text, from := j.ahead.buf[:j.ahead.end], j.ahead.start
	end, ok := j.scanLine(text, from)
	if !ok || end-from > j.limit {
		j.resting = rest
		return false, nil
	}
	row, ok := j.record.finishPlain(j.line)
	if !ok {
		j.resting = rest
		return false, nil
	}
	j.counts.Rows++
	j.consume(end-from, 1)
	return true, j.filler.AddPlain(row)
}

// scanLine gathers the row that the line is which begins at a place in a text of many. It
// returns where the line ends, after its line feed. Not ok says nothing about the line.
func (j *jsonDecoding) scanLine(text []byte, from int) (end int, ok bool) {
	if from == len(text) || text[from] != '{' || len(text) > datafile.MaxPlainText {
		return 0, false
	}
	j.record.reset(text)
	j.record.members.begin()
	j.broken = false
	end, _, whole := j.scanAlike(text, from+1, 0)
	if !whole || j.broken {
		return 0, false
	}
	if end < len(text) && text[end] == '\r' {
		end++
	}
	return end + 1, end < len(text) && text[end] == '\n'
}

// skipBreaks is skipSpace that notes whether it skipped an end of a line.
func (j *jsonDecoding) skipBreaks(b []byte, at int) int {
	end := skipSpace(b, at)
	j.broken = j.broken || bytes.IndexByte(b[at:end], '\n') >= 0
	return end
}
