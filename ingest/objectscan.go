package ingest

import (
	"encoding/binary"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
)

// scan gathers the row that a record is in a single pass over its bytes. It takes only
// what it is sure of: a JSON object that is right in every respect. Of all else it says
// that it is not, and jsonDecoding.object judges it token by token and finds the reason.
// So there is one judge, and what makes the scan fast can't make it lenient.
//
// Here and below, record is a text that ends with the record: before it are others.
func (j *jsonDecoding) scan(record []byte, from int) (sure bool) {
	j.record.members.begin()
	at, ok := expect(record, from, '{')
	if !ok || len(record) > datafile.MaxPlainText {
		return false
	}
	if end, empty := expect(record, at, '}'); empty {
		return skipSpace(record, end) == len(record)
	}
	for place := 0; ; place++ {
		var whole bool
		if at, place, whole = j.scanAlike(record, at, place); whole {
			return skipSpace(record, at) == len(record)
		}
		if at, ok = j.scanMember(record, skipSpace(record, at), place); !ok {
			return false
		}
		if next, more := expect(record, at, ','); more {
			at = next
			continue
		}
		at, ok = expect(record, at, '}')
		return ok && skipSpace(record, at) == len(record)
	}
}

// scanAlike reads members from a place on for as long as they have the names of the record
// before, and plain values, and little space: most records are read by it alone, in which
// few calls are. It returns where the first one is that it did not read, or the end of the
// object if that is whole.
func (j *jsonDecoding) scanAlike(record []byte, at, place int) (next, nextPlace int, whole bool) {
	members, text := j.record.members, record[:cap(record)]
	for ; place < len(members.order); place++ {
		m := members.order[place]
		value := m.after(text, at)
		if value == 0 || m.round == members.round {
			break
		}
		end, ok := j.scanPlain(m.field, text, value)
		if !ok || end >= len(record) {
			break
		}
		m.round = members.round
		if text[end] != ',' && text[end] != '}' {
			end = j.skipBreaks(record, end)
		}
		switch {
		case end < len(record) && record[end] == '}':
			return end + 1, place, true
		case end == len(record) || record[end] != ',':
			return at, place, false // which the record has now, and can't have again
		}
		at = end + 1
	}
	return at, place, false
}

// scanMember reads the name and the value that begin at a place, and returns where they end.
func (j *jsonDecoding) scanMember(record []byte, at, place int) (end int, ok bool) {
	m, at := j.scanName(record, at, place)
	if m == nil || !j.record.members.first(m) {
		return 0, false
	}
	from := skipSpace(record, at)
	if end, ok = j.scanPlain(m.field, record[:cap(record)], from); ok {
		return end, true // maybe behind the record, where nothing can follow
	}
	text, end, ok := j.scanValue(record, from)
	if !ok {
		return 0, false
	}
	return end, j.taken(m, record[from:end], text)
}

// scanName reads a name and the colon after it, and returns where its value begins.
func (j *jsonDecoding) scanName(record []byte, at, place int) (m *member, value int) {
	if at == len(record) || record[at] != '"' {
		return nil, 0
	}
	end, ok := stringEnd(record, at+1)
	if !ok {
		return nil, 0
	}
	if value, ok = expect(record, end, ':'); !ok {
		return nil, 0
	}
	return j.record.members.at(place, record[at:end], j.record.fields), value
}

// scanPlain reads, and puts where it belongs, what most values are: a text without escapes
// or a short number, for one column or the event time. It returns where it ends. Not ok
// says nothing about the value. It sees what is behind the record too, as the last value
// would otherwise be read byte by byte; of a text, only up to the end of the line.
func (j *jsonDecoding) scanPlain(f *field, text []byte, from int) (end int, ok bool) {
	switch {
	case f == nil || f.plain == notPlain:
		return 0, false
	case f.plain == plainText:
		if from >= len(text) || text[from] != '"' {
			return 0, false
		}
		for end = from + 1; end+wordSize <= len(text); end += wordSize {
			if marks := notPlainIn(binary.LittleEndian.Uint64(text[end:])); marks != 0 {
				end += bits.TrailingZeros64(marks) / 8
				ok = text[end] == '"' && j.record.setPlain(f, datafile.PlainText(from+1, end))
				return end + 1, ok
			}
		}
		return 0, false
	}
	n, fraction, end, ok := shortNumber(text, from)
	if !ok {
		return 0, false
	}
	if f.plain == plainTime {
		return end, fraction == 0 && j.record.setTimeOf(n, from, end)
	}
	value, ok := datafile.PlainNumber(&j.record.columns[f.column].Type, n, fraction, from, end)
	return end, ok && j.record.setPlain(f, value)
}

// taken puts a value where it belongs.
func (j *jsonDecoding) taken(m *member, value jsontext.Value, text []byte) bool {
	f := m.field
	if !f.declared() && j.keep(m.quoted, value) != nil {
		return false
	}
	switch {
	case f == nil, !f.declared() && f.inner == nil:
		return true
	case f.inner != nil:
		return j.field(f, value) == nil
	case value[0] == 'n':
		return true // NULL
	default:
		return j.fill(f, value, text) == nil
	}
}

// scanValue reads the value that begins at a place. It returns where it ends and its text:
// that of a string, and of any other value its token.
func (j *jsonDecoding) scanValue(record []byte, from int) (text []byte, end int, ok bool) {
	if from == len(record) {
		return nil, 0, false
	}
	switch record[from] {
	case '"':
		return j.scanText(record, from)
	case '{', '[':
		end, ok = nestedEnd(record, from)
		ok = ok && jsontext.Value(record[from:end]).IsValid()
	case 't':
		end, ok = literalEnd(record, from, "true")
	case 'f':
		end, ok = literalEnd(record, from, "false")
	case 'n':
		end, ok = literalEnd(record, from, "null")
	default:
		end, ok = numberEnd(record, from)
	}
	if !ok {
		return nil, 0, false
	}
	return record[from:end], end, true
}

// scanText reads the string that begins at a place.
func (j *jsonDecoding) scanText(record []byte, from int) (text []byte, end int, ok bool) {
	end = plainEnd(record, from+1)
	if end < len(record) && record[end] == '"' {
		return record[from+1 : end], end + 1, true
	}
	if end, ok = stringEnd(record, end); !ok {
		return nil, 0, false
	}
	if text = record[from+1 : end-1]; isPlain(text) {
		return text, end, true
	}
	quoted := jsontext.Value(record[from:end])
	if !quoted.IsValid() {
		return nil, 0, false
	}
	text, err := j.textOf(quoted)
	return text, end, err == nil
}
