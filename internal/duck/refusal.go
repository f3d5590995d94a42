package duck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Refusal says why a job's SQL is not accepted: what in it, where, and what to
// write instead.
type Refusal struct {
	Line   int    `json:"line,omitempty"`   // in the SQL, from 1; 0 where it is nowhere in particular
	Column int    `json:"column,omitempty"` // in characters, from 1
	What   string `json:"what"`             // the function or construct, such as random() or LIMIT
	Why    string `json:"why"`
	Write  string `json:"write"` // what to write instead
}

// Error returns "line 2, column 8: random() …: …".
func (r Refusal) Error() string {
	text := r.What + " " + r.Why + ": " + r.Write
	if r.Line == 0 {
		return text
	}
	return fmt.Sprintf("line %d, column %d: %s", r.Line, r.Column, text)
}

// Refusals is all that is wrong with a job's SQL, in the order of the text. As
// an error it has one refusal a line.
type Refusals []Refusal

// OfInputs tells whether all there is against a statement is what it reads, which may be a name
// that is mistyped.
func (rs Refusals) OfInputs() bool {
	return !slices.ContainsFunc(rs, func(r Refusal) bool { return r.Why != notAnInput })
}

// Error returns the refusals, each on a line of its own where there are some.
func (rs Refusals) Error() string {
	if len(rs) == 1 {
		return rs[0].Error()
	}
	var b strings.Builder
	for _, r := range rs {
		b.WriteString("\n  " + r.Error())
	}
	return b.String()
}

// refusing gathers the refusals of one statement.
type refusing struct {
	sql    string
	inputs jobInputs
	list   Refusals
}

// add refuses what stands at the byte offset at, which is negative where that
// is not known. The same thing in the same place is refused once only.
func (r *refusing) add(at int, what, why, write string) {
	one := Refusal{What: what, Why: why, Write: r.inputs.ordered(write)}
	if at >= 0 && at <= len(r.sql) {
		one.Line, one.Column = lineAndColumn(r.sql, at)
	}
	if !slices.ContainsFunc(r.list, func(other Refusal) bool {
		return one == other || one.Line > 0 && one.Line == other.Line && one.Column == other.Column && one.What == other.What
	}) {
		r.list = append(r.list, one)
	}
}

func lineAndColumn(sql string, at int) (line, column int) {
	start := strings.LastIndexByte(sql[:at], '\n') + 1
	return strings.Count(sql[:start], "\n") + 1, utf8.RuneCountInString(sql[start:at]) + 1
}

// err returns all refusals in the order of the text, or nil. Those that have
// no place are about what the engine made of something in the text, and are
// left out where that has been refused.
func (r *refusing) err() error {
	if len(r.list) == 0 {
		return nil
	}
	placed := slices.DeleteFunc(slices.Clone(r.list), func(one Refusal) bool { return one.Line == 0 })
	if len(placed) > 0 {
		r.list = placed
	}
	slices.SortStableFunc(r.list, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.list
}
