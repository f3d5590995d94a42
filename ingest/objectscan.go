package ingest

import (
	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
)

// scan gathers the row that a record is in a single pass over its bytes. It takes only
// what it is sure of: a JSON object that is right in every respect. Of all else it says
// that it is not, and jsonDecoding.object judges it token by token and finds the reason.
// So there is one judge, and what makes the scan fast can't make it lenient.
func (j *jsonDecoding) scan(record []byte) (sure bool) {
	j.record.members.begin()
	at, ok := expect(record, 0, '{')
	if !ok || len(record) > datafile.MaxPlainText {
		return false
	}
	if end, empty := expect(record, at, '}'); empty {
		return skipSpace(record, end) == len(record)
	}
	for place := 0; ; place++ {
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

// scanMember reads the name and the value that begin at a place, and returns where they end.
func (j *jsonDecoding) scanMember(record []byte, at, place int) (end int, ok bool) {
	m, at := j.scanName(record, at, place)
	if m == nil || !j.record.members.first(m) {
		return 0, false
	}
	if at, ok = expect(record, at, ':'); !ok {
		return 0, false
	}
	from := skipSpace(record, at)
	if end, ok = j.scanPlain(m.field, record, from); ok {
		return end, true
	}
	text, end, ok := j.scanValue(record, from)
	if !ok {
		return 0, false
	}
	return end, j.taken(m, record[from:end], text)
}

// scanPlain reads, and puts where it belongs, what most values are: a text without escapes
// or a short number, for one column or the event time. It returns where it ends. Not ok
// says nothing about the value.
func (j *jsonDecoding) scanPlain(f *field, record []byte, from int) (end int, ok bool) {
	switch {
	case f == nil || f.plain == notPlain:
		return 0, false
	case f.plain == plainText:
		if from == len(record) || record[from] != '"' {
			return 0, false
		}
		end = plainEnd(record, from+1)
		ok = end < len(record) && record[end] == '"' && j.record.setPlain(f, datafile.PlainText(from+1, end))
		return end + 1, ok
	}
	n, fraction, end, ok := shortNumber(record, from)
	if !ok {
		return 0, false
	}
	if f.plain == plainTime {
		return end, fraction == 0 && j.record.setTimeOf(n)
	}
	value, ok := datafile.PlainNumber(&j.record.columns[f.column].Type, n, fraction)
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

// scanName reads a name, and returns where it ends.
func (j *jsonDecoding) scanName(record []byte, at, place int) (m *member, end int) {
	members := j.record.members
	if m, end = members.expected(record, at, place); m != nil {
		return m, end
	}
	if at == len(record) || record[at] != '"' {
		return nil, 0
	}
	end, ok := stringEnd(record, at+1)
	if !ok {
		return nil, 0
	}
	return members.at(place, record[at:end], j.record.fields), end
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
