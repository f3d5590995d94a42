package duck

import (
	"math"
	"slices"
	"strconv"
)

// positionColumn tells the rows of a stream apart.
const positionColumn = "position"

// nowhere is how the engine writes that an index is not set.
var nowhere = strconv.FormatUint(math.MaxUint64, 10)

// scan judges a scan of an input, or a function in FROM.
func (j *judge) scan(n node) *relation {
	name := fold(n.text("name"))
	switch {
	case name == "seq_scan" && len(j.uniqueOf(n)) > 0 && len(n.list("children")) == 0:
	case name == "seq_scan" || !tableFunctionNames[name]:
		why, write := adviceFor(name)
		j.refuse(n, why, write, name)
	}
	if n.number("ordinality_idx") != nowhere {
		j.add(-1, "WITH ORDINALITY", "is not among what the check of determinism knows", "unnest a list of structs that hold their number")
	}
	in := &relation{keys: [][]attr{{}}}
	if len(n.list("children")) > 0 {
		in = j.child(n, 0)
	}
	out := j.scanned(n, j.argument(n, name, in))
	if (name == "range" || name == "generate_series") && len(n.list("children")) == 0 && len(out.fields) > 0 {
		out.keys = [][]attr{{out.fields[0].attr}} // no value comes twice
	}
	for _, value := range n.list("projected_input") {
		if i := placeOf(value); i >= 0 && i < len(in.fields) {
			out.fields = append(out.fields, in.fields[i])
		}
	}
	return out
}

// uniqueOf returns the columns that tell the rows of an input apart that is scanned.
func (j *judge) uniqueOf(n node) []string {
	if fold(n.text("name")) != "seq_scan" {
		return nil
	}
	return j.unique[fold(n.sub("function_data").text("table"))]
}

// argument is how well the arguments of a function in FROM are determined:
// they are the first columns of what is below it.
func (j *judge) argument(n node, name string, in *relation) state {
	worst := exact
	for _, f := range in.fields[:min(len(n.list("input_table_types")), len(in.fields))] {
		worst = max(worst, j.seen(f))
	}
	if worst == loose && name != "unnest" {
		j.refuseLoose(n, called(name))
	}
	return worst
}

// scanned makes the columns that a scan returns.
func (j *judge) scanned(n node, argument state) *relation {
	types, names := n.nodes("returned_types"), n.texts("names")
	out := &relation{}
	unique := j.uniqueOf(n)
	key := make([]attr, len(unique))
	for i := range key {
		key[i] = j.fresh() // also of one that is not read
	}
	if len(key) > 0 {
		out.keys = [][]attr{key}
	}
	for i, column := range n.nodes("column_indexes") {
		f := field{attr: j.fresh(), state: hidden, bind: n.number("table_index") + "." + strconv.Itoa(i)}
		if k := column.index("index"); k >= 0 && k < len(types) {
			f.typ, f.state = types[k], exact
			if argument == loose && floats(f.typ) {
				f.state = loose
			}
			if k < len(names) {
				if at := slices.Index(unique, fold(names[k])); at >= 0 {
					key[at] = f.attr
				}
			}
		}
		out.fields = append(out.fields, f)
	}
	return out
}

// values judges VALUES, whose rows are lists of expressions.
func (j *judge) values(n node) *relation {
	in := j.child(n, 0)
	out := j.table(n, n.nodes("expr_types"))
	for _, row := range n.list("expressions") {
		list, _ := row.([]any)
		for i, item := range list {
			if m, ok := item.(map[string]any); ok && i < len(out.fields) {
				out.fields[i].state = max(out.fields[i].state, j.expr(m, in))
			}
		}
	}
	return out
}

// cteRef is another reading of a query that WITH names.
func (j *judge) cteRef(n node) *relation {
	of, known := j.ctes[n.number("cte_index")]
	out := j.table(n, n.nodes("chunk_types"))
	if !known || len(of.fields) != len(out.fields) || n.yes("is_recurring") {
		j.lost("a reference to WITH")
		return out
	}
	renamed := map[attr]attr{}
	for i := range out.fields {
		out.fields[i].state = of.fields[i].state
		renamed[of.fields[i].attr] = out.fields[i].attr
	}
	for _, key := range of.keys {
		if k, all := rename(key, renamed); all {
			out.keys = append(out.keys, k)
		}
	}
	return out
}

func rename(key []attr, to map[attr]attr) ([]attr, bool) {
	out := make([]attr, 0, len(key))
	for _, a := range key {
		b, ok := to[a]
		if !ok {
			return nil, false
		}
		out = append(out, b)
	}
	return out, true
}

// recursive judges WITH RECURSIVE: each round makes a bag of rows of the bag
// before. Floats in it are taken to be loose from the start.
func (j *judge) recursive(n node) *relation {
	first := j.child(n, 0)
	if len(n.list("key_targets")) > 0 {
		j.refuse(node{}, whyOrder, "write UNION, and choose the rows in the query that reads it", constructUsingKey)
	}
	if !n.yes("union_all") {
		j.merged(first.fields, "UNION")
	}
	out := &relation{fields: slices.Clone(first.fields)}
	for i := range out.fields {
		out.fields[i].attr = j.fresh()
		out.fields[i].bind = n.number("table_index") + "." + strconv.Itoa(i)
		if floats(out.fields[i].typ) {
			out.fields[i].state = max(out.fields[i].state, loose)
		}
	}
	j.ctes[n.number("table_index")] = out
	for _, f := range j.child(n, 1).fields {
		j.seen(f)
	}
	return out
}

// delimGet is the set of values for which a correlated subquery is computed.
func (j *judge) delimGet(n node) *relation {
	types := n.nodes("chunk_types")
	out := j.table(n, types)
	if len(types) != len(j.delim) {
		j.lost("a correlated subquery")
		return out
	}
	byRow := len(j.delim) > 0 && j.delim[0].state == identifying
	for i := range out.fields {
		out.fields[i].state = j.delim[i].state
	}
	if byRow {
		out.keys = [][]attr{{out.fields[0].attr}}
		j.identity[out.fields[0].attr] = out.attrs()
		return out
	}
	j.merged(out.fields, "A CORRELATED SUBQUERY")
	out.keys = [][]attr{out.attrs()}
	return out
}
