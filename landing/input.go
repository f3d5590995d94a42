package landing

import (
	"crypto/sha256"
	"strconv"
)

// InputOf sums up all rows in hours.
//
// The digest is the SHA-256 of the lines "<hour> <rows> <sum> <moment>\n", one
// for each bucket-hour with rows, ascending, moment taken from position 0. It
// depends on which rows there are and at which positions, and not on how they
// lie in segments. It is taken of whole bucket-hours.
func (s *State) InputOf(hours Hours) Input { return s.input(hours, s.Next(), false) }

// AppendInput writes after text the lines that InputOf digests, and counts the rows. Who
// asks for very many inputs digests them together.
func (s *State) AppendInput(text []byte, hours Hours) (lines []byte, rows int64) {
	return s.appendInput(text, hours, s.Next(), false)
}

// InputBounds sums up the rows in hours at positions below upTo, as far as the
// log can tell. Where a segment that holds rows of hours straddles upTo, as one
// may that was made by a compaction, or rows have expired up to a higher
// position, least is without these rows and most with all of them; elsewhere the
// two are the same, and exact.
func (s *State) InputBounds(hours Hours, upTo Position) (least, most Input) {
	least = s.input(hours, upTo, false)
	if s.exact(hours, upTo) {
		return least, least
	}
	return least, s.input(hours, upTo, true)
}

// MayEnd tells whether what had landed once may have ended at a position: whether
// it lies within no segment but one that was merged since.
func (s *State) MayEnd(at Position) bool {
	for _, segment := range between(s.segments, at-1, at+1) {
		if !segment.Merged && segment.Base < at && at < segment.End() {
			return false
		}
	}
	return true
}

// exact tells whether it is known which rows in hours lie below a position.
func (s *State) exact(hours Hours, upTo Position) bool {
	if upTo >= s.Next() {
		return true
	}
	if s.expired > upTo && len(s.hours.expired.within(hours)) > 0 {
		return false
	}
	for _, b := range s.sumsOf(hours) {
		below := between(s.holding(b.Hour), 0, upTo)
		if n := len(below); n > 0 && below[n-1].End() > upTo {
			return false
		}
	}
	return true
}

func (s *State) input(hours Hours, upTo Position, whole bool) Input {
	var room [256]byte // for windows of an hour; longer ones are rare
	return inputOfLines(s.appendInput(room[:0], hours, upTo, whole))
}

func (s *State) appendInput(lines []byte, hours Hours, upTo Position, whole bool) (all []byte, rows int64) {
	for _, b := range s.sumsOf(hours) {
		if b = s.upTo(b, upTo, whole); b.Rows > 0 {
			lines, rows = b.appendLine(lines), rows+b.Rows
		}
	}
	return lines, rows
}

// upTo returns the sum of the rows of an hour, all of which sum up to all, at positions
// below p. Of a segment that straddles p, and of the rows that have expired where their
// end does, it counts either no row or, with whole set, every row.
func (s *State) upTo(all Bucket, p Position, whole bool) Bucket {
	if p >= s.Next() {
		return all
	}
	held := s.holding(all.Hour)
	n := len(held)
	if s.expired <= p && (n == 0 || held[n-1].End() <= p) {
		return all
	}
	total := Bucket{Hour: all.Hour}
	if at, gone := s.hours.expired.find(all.Hour, 0); gone && (s.expired <= p || whole && p > 0) {
		total.join(s.hours.expired[at])
	}
	for _, segment := range between(held, 0, p) {
		if segment.End() <= p || whole {
			total.join(segment.Buckets.of(total.Hour).at(segment.Base))
		}
	}
	return total
}

// inputOf digests buckets, ascending by hour, their moments from position 0.
func inputOf(buckets []Bucket) Input {
	var rows int64
	var lines []byte
	for _, b := range buckets {
		lines, rows = b.appendLine(lines), rows+b.Rows
	}
	return inputOfLines(lines, rows)
}

func inputOfLines(lines []byte, rows int64) (in Input) {
	if in.Rows = rows; rows > 0 {
		in.Digest = sha256.Sum256(lines)
	}
	return in
}

// appendLine writes "<hour> <rows> <sum> <moment>\n".
func (b Bucket) appendLine(text []byte) []byte {
	text = append(strconv.AppendInt(text, b.Hour, 10), ' ')
	text = append(strconv.AppendInt(text, b.Rows, 10), ' ')
	text = append(b.Sum.Append(text), ' ')
	return append(b.Moment.Append(text), '\n')
}
