package duck

import (
	"encoding/json"
	"slices"
	"strconv"
)

// call is a function or construct of a statement's text with its place: what
// a refusal points at.
type call struct {
	kind   callKind
	name   string   // folded: a function's name or, of a construct, what a refusal calls it
	at     int      // byte offset in the text; negative where the engine does not tell
	leaves []string // names of the columns in it, folded and sorted
	sorted bool     // has an ORDER BY of its own
}

type callKind int

const (
	callFunction  callKind = iota // in an expression
	callWindow                    // with OVER
	callTable                     // a function in FROM
	callRelation                  // a table's name, as table.String has it
	callName                      // a bare name, which may be a keyword such as current_date
	callConstruct                 // a part of a SELECT, such as LIMIT
	callCast                      // a text that is cast to a date or time
)

// Names of constructs, as refusals have them.
const (
	constructLimit      = "LIMIT"
	constructDistinctOn = "DISTINCT ON"
	constructAsof       = "ASOF JOIN"
	constructPositional = "POSITIONAL JOIN"
	constructSample     = "sampling (TABLESAMPLE, USING SAMPLE)"
	constructCollate    = "COLLATE"
	constructShow       = "DESCRIBE, SUMMARIZE or SHOW"
	constructUsingKey   = "USING KEY"
	constructGroupBy    = "GROUP BY"
	constructDistinct   = "DISTINCT"
)

// noteCall remembers a function that stands at n.
func (f *findings) noteCall(n node, kind callKind, name string) {
	f.calls = append(f.calls, call{kind: kind, name: fold(name), at: f.placeOf(n), leaves: leafNames(n), sorted: sortedBy(n)})
}

// noteConstruct remembers a part of a SELECT that stands at n.
func (f *findings) noteConstruct(n node, name string) {
	f.calls = append(f.calls, call{kind: callConstruct, name: name, at: f.placeOf(n)})
}

// placeOf is where n stands or, if the engine does not tell, what is in it, or
// what it is in.
func (f *findings) placeOf(n node) int {
	if at := n.location(); at >= 0 {
		return at
	}
	if at := firstLocation(n); at >= 0 {
		return at
	}
	return f.near
}

// location is where the node stands in the text, or -1.
func (n node) location() int { return placeOf(n[locationKey]) }

func placeOf(value any) int {
	number, _ := value.(json.Number)
	at, err := strconv.Atoi(number.String())
	if err != nil {
		return -1 // the engine's "nowhere" is larger than any int
	}
	return at
}

// firstLocation is the smallest place of what is below a tree, or -1.
func firstLocation(tree any) int {
	best := -1
	eachNode(tree, func(n node) {
		if at := n.location(); at >= 0 && (best < 0 || at < best) {
			best = at
		}
	})
	return best
}

// eachNode calls visit for every object of a tree.
func eachNode(tree any, visit func(node)) {
	switch t := tree.(type) {
	case node:
		eachNode(map[string]any(t), visit)
	case map[string]any:
		visit(t)
		for _, value := range t {
			eachNode(value, visit)
		}
	case []any:
		for _, value := range t {
			eachNode(value, visit)
		}
	}
}

// leafNames are the names of the columns below a tree, sorted. Of a bound
// tree they are those that the engine remembers.
func leafNames(tree any) []string {
	var names []string
	eachNode(tree, func(n node) {
		switch {
		case n.text("class") == "COLUMN_REF":
			if parts := n.texts("column_names"); len(parts) > 0 {
				names = append(names, fold(parts[len(parts)-1]))
			}
		case n.text("expression_class") == "BOUND_REF":
			names = append(names, fold(n.text("alias")))
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// sortedBy tells whether a call has an ORDER BY of its own.
func sortedBy(n node) bool {
	orders, _ := n["order_bys"].(map[string]any)
	return len(node(orders).list("orders")) > 0
}
