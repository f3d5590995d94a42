package duck

import (
	"slices"
	"strings"
)

// judge walks a plan and refuses every step of which it is not known that it
// makes the same bag of rows of the same bags of rows.
type judge struct {
	*refusing
	st       *Statement
	unique   map[string][]string // of each input, folded: the columns that tell its rows apart
	ctes     map[string]*relation
	delim    []field         // what the nearest join with a correlated side hands to that side
	identity map[attr][]attr // of a column that stands for a whole row: what it determines
	last     attr
	pointed  map[int]bool // the calls that refusals point at
}

// attr is a column's identity: it keeps it from step to step as long as its
// values stay what they are.
type attr int

// state is how well a value is determined.
type state int

const (
	exact state = iota
	// loose values are determined but for the sign of a zero: of -0.0 and 0.0,
	// which are equal, the engine takes which it meets first. Receipts do not
	// tell the two apart, but a text or a quotient would.
	loose
	// identifying values stand for a row and are used by the engine itself to
	// compute correlated subqueries. They are numbered in no order.
	identifying
	// hidden values are where a row is stored.
	hidden
)

// field is a column of a relation, found by its index.
type field struct {
	attr  attr
	state state
	typ   node
	bind  string // how expressions that the engine has not resolved call it
}

// relation is what is known of a step's rows.
type relation struct {
	fields []field
	// keys are sets of columns in which no two rows are equal, NULL being a
	// value as others are. An empty set means one row at most.
	keys [][]attr
}

func (j *judge) fresh() attr {
	j.last++
	return j.last
}

// statement judges a whole plan.
func (j *judge) statement(plan node) {
	j.pointed = map[int]bool{}
	j.names(plan)
	for _, c := range j.relation(plan).fields {
		if c.state > loose {
			j.lost("its output")
		}
	}
}

// lost refuses what the check does not understand.
func (j *judge) lost(what string) {
	j.add(-1, what, "can't be followed by the check of determinism", "write the query with fewer constructs, such as joins and GROUP BY instead of subqueries")
}

// refuse refuses a bound function or construct. It points at all calls in the
// text that have the name, or another for the same, and the same columns, since
// the engine computes equal calls once; or else at one with the name.
func (j *judge) refuse(n node, why, write, name string) {
	leaves := leafNames(n)
	found, some := false, -1
	for i, c := range j.st.found.calls {
		if c.kind == callName || c.kind == callRelation || !sameFunction(c.name, name) {
			continue
		}
		if c.kind != callConstruct && slices.Equal(c.leaves, leaves) {
			j.point(i, why, write)
			found = true
		} else if some < 0 || j.better(i, some) {
			some = i
		}
	}
	switch {
	case found:
	case some >= 0:
		j.point(some, why, write)
	default:
		j.add(-1, called(name), why, write)
	}
}

// better tells whether to point at call i of the text rather than at k: at one
// that nothing points at yet, and at the first.
func (j *judge) better(i, k int) bool {
	if j.pointed[i] != j.pointed[k] {
		return j.pointed[k]
	}
	return j.st.found.calls[i].at < j.st.found.calls[k].at
}

func (j *judge) point(i int, why, write string) {
	j.pointed[i] = true
	j.add(j.st.found.calls[i].at, called(j.st.found.calls[i].name), why, write)
}

// otherNames are functions of which the engine makes one.
var otherNames = [][]string{
	{"list", "array_agg"}, {"string_agg", "group_concat", "listagg"}, {"first", "any_value", "arbitrary"},
	{"arg_max", "argmax", "max_by"}, {"arg_min", "argmin", "min_by"}, {"avg", "mean"}, {"fsum", "kahan_sum", "sumkahan"},
	{"stddev", "stddev_samp"}, {"variance", "var_samp"},
}

func sameFunction(a, b string) bool {
	return a == b || slices.ContainsFunc(otherNames, func(names []string) bool {
		return slices.Contains(names, a) && slices.Contains(names, b)
	})
}

// called is a function or construct as refusals call it.
func called(name string) string {
	switch {
	case strings.ToUpper(name) == name && strings.ToLower(name) != name:
		return name // a construct; functions are folded
	case strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz"):
		return name + "()"
	}
	return "the operator " + name
}
