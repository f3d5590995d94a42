package infer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"strandline/landing"
)

// unread are the records of a sample that no declaration reads, by what kind of thing is
// wrong with them.
type unread struct {
	path  string // of the file that is read
	kinds map[landing.RejectClass]*unreadKind
}

// unreadKind are those of one kind.
type unreadKind struct {
	records int64
	first   string // where the first of them is, and why it can't be read
}

func (u *unread) add(r landing.Reject) {
	if u.kinds == nil {
		u.kinds = map[landing.RejectClass]*unreadKind{}
	}
	kind := u.kinds[r.Class]
	if kind == nil {
		kind = &unreadKind{first: fmt.Sprintf("%s, line or row %d: %s", u.path, r.SourcePosition, r.Reason)}
		u.kinds[r.Class] = kind
	}
	kind.records++
}

// error tells why there is nothing to propose, where none of so many records can be read.
func (u *unread) error(records int64) error {
	var reasons []string
	for _, class := range slices.Sorted(maps.Keys(u.kinds)) {
		kind := u.kinds[class]
		reasons = append(reasons, fmt.Sprintf("%d by %s, first %s", kind.records, class, kind.first))
	}
	text := fmt.Sprintf("no record can be read, of the %d that were looked at: %s; "+
		"mend what writes them, or if they are of another format, write the declaration by hand (strandline init writes one to start from)", records, strings.Join(reasons, "; "))
	return errors.New(text)
}
