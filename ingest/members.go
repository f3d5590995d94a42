package ingest

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

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
	colon  []byte // quoted, and a colon
	head   uint64 // the first eight bytes of colon, the first one lowest, and zeros for those it lacks
	mask   uint64 // of those it has
	field  *field // what is declared of it, nil where nothing is
	round  int64  // of the last record that had it
}

func newMember(quoted []byte, declared *field) *member {
	colon := append(bytes.Clone(quoted), ':')
	m := &member{quoted: colon[:len(quoted)], colon: colon, field: declared}
	var head, mask [wordSize]byte
	for i := range copy(head[:], colon) {
		mask[i] = 0xff
	}
	m.head, m.mask = binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(mask[:])
	return m
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

// after returns where the value begins if the name is at a place, with no more than a
// space before it and after its colon; 0 if it is not.
func (m *member) after(text []byte, at int) (value int) {
	if at+wordSize >= len(text) {
		return 0
	}
	if text[at] == ' ' {
		at++
	}
	if (binary.LittleEndian.Uint64(text[at:])^m.head)&m.mask != 0 {
		return 0
	}
	if value = at + len(m.colon); len(m.colon) > wordSize && (value > len(text) || string(text[at:value]) != string(m.colon)) {
		return 0
	}
	if value < len(text) && text[value] == ' ' {
		value++
	}
	return value
}

// at returns the member of a name at a place, nil where it can't be known.
func (m *members) at(place int, quoted []byte, declared fields) *member {
	one := m.known[string(quoted)]
	if one == nil {
		if len(m.known) == maxMembers || !isPlain(quoted[1:len(quoted)-1]) {
			return nil
		}
		one = newMember(quoted, declared[string(quoted[1:len(quoted)-1])])
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
