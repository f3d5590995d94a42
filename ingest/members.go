package ingest

import "unicode/utf8"

// members are the names that a decoder's records have had. They tell what is declared of
// a name, and whether a record has it twice, without a look at any other name.
type members struct {
	known map[string]*member // by name, as it is quoted
	order []*member          // by place in the record before, where the next one has it most often
	round int64              // number of the record
}

func newMembers() *members { return &members{known: map[string]*member{}} }

// member is a name that is written without escapes, and so in one way only.
type member struct {
	quoted []byte
	field  *field // what is declared of it, nil where nothing is
	round  int64  // of the last record that had it
}

// maxMembers is how many names are known. Records of ever new names have to be judged
// without them.
const maxMembers = 4096

// begin begins a record.
func (m *members) begin() { m.round++ }

// first tells whether the record has a member for the first time.
func (m *members) first(one *member) bool {
	before := one.round
	one.round = m.round
	return before != m.round
}

// expected returns the member that the record before had at a place, if the name of
// this one there is the same, and where the name ends.
func (m *members) expected(record []byte, at, place int) (one *member, end int) {
	if place >= len(m.order) {
		return nil, 0
	}
	one = m.order[place]
	end = at + len(one.quoted)
	if end > len(record) || string(record[at:end]) != string(one.quoted) {
		return nil, 0
	}
	return one, end
}

// at returns the member of a name at a place, nil where it can't be known.
func (m *members) at(place int, quoted []byte, declared fields) *member {
	one := m.known[string(quoted)]
	if one == nil {
		if len(m.known) == maxMembers || !isPlain(quoted[1:len(quoted)-1]) {
			return nil
		}
		one = &member{quoted: append([]byte(nil), quoted...), field: declared[string(quoted[1:len(quoted)-1])]}
		m.known[string(quoted)] = one
	}
	if place == len(m.order) {
		m.order = append(m.order, one)
	} else if place < len(m.order) {
		m.order[place] = one
	}
	return one
}

// isPlain tells whether a text may stand between quotes as it is, without escapes.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}
