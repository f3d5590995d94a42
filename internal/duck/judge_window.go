package duck

import (
	"slices"
	"strconv"
	"strings"
)

// window judges functions with OVER. Below a join with a correlated side, the
// engine numbers rows for itself; such numbers only identify.
func (j *judge) window(n node, ofJoin bool) *relation {
	in := j.child(n, 0)
	out := &relation{fields: slices.Clone(in.fields), keys: slices.Clone(in.keys)}
	for i, call := range n.nodes("expressions") {
		f := field{attr: j.fresh(), typ: typeOf(call), bind: n.number("window_index") + "." + strconv.Itoa(i)}
		switch {
		case ofJoin && numbersRows(call):
			f.state = identifying
			out.keys = append(out.keys, []attr{f.attr})
		default:
			f.state = j.over(call, in)
			if within, ok := j.numbered(call, in); ok {
				out.keys = append(out.keys, append(within, f.attr))
			}
		}
		out.fields = append(out.fields, f)
	}
	return out
}

// numbered returns the columns within which a row_number() is unique. It is so
// only where every term of PARTITION BY is a column, since nothing downstream
// could name an expression, and where the function has no order of its own,
// which makes it count within the frame.
func (j *judge) numbered(call node, in *relation) (within []attr, ok bool) {
	partitions := call.nodes("partitions")
	within = j.groupColumns(in, partitions)
	return within, call.text("type") == "WINDOW_ROW_NUMBER" && len(within) == len(partitions) && len(call.list("arg_orders")) == 0
}

// numbersRows tells whether a call is the engine's own row_number() of a
// correlated join.
func numbersRows(n node) bool {
	return n.text("type") == "WINDOW_ROW_NUMBER" && n.text("alias") == "delim_index" && len(n.list("partitions"))+len(n.list("orders")) == 0
}

// over judges one function with OVER.
func (j *judge) over(n node, in *relation) state {
	partitions := n.nodes("partitions")
	for _, p := range partitions {
		j.pass(p, in)
	}
	by, own := orders(n), ordersIn(n.nodes("arg_orders"))
	args := n.nodes("children")
	worst := j.exprs(in, append(args, n.sub("default_expr"))...)
	j.exprs(in, slices.Concat(by, own, []node{n.sub("filter_expr"), n.sub("filter"), n.sub("start_expr"), n.sub("end_expr"), n.sub("offset_expr")})...)
	within := j.groupColumns(in, partitions)
	total := j.total(in, by, within)
	name := windowName(n)
	if n.text("type") == "WINDOW_AGGREGATE" {
		return j.aggregateOver(n, name, worst, total)
	}
	rule, known := allowedWindows[name]
	switch {
	case !known:
		why, write := adviceFor(name)
		j.refuse(n, why, write, name)
	case rule.total && !total, len(own) > 0 && !(total && j.total(in, own, within)):
		j.refuseWindow(n, in, name)
	}
	return worst
}

// aggregateOver judges an aggregate with OVER: its frame must not go by ties,
// and it must not go by the order within the frame, which the engine computes
// piecewise.
func (j *judge) aggregateOver(n node, name string, worst state, total bool) state {
	if byRows(n) && !total {
		j.refuse(n, "has a frame of ROWS, and no ORDER BY that tells all rows apart says which those are", writeTotal+"; or write RANGE or GROUPS", name)
		return exact
	}
	kind := aggregateKinds[name]
	if kind == aggregateOfSequence || kind == aggregateOfExtreme {
		j.refuse(n, "goes by the order within the frame, which is not kept", "write first_value() or last_value() OVER (… ORDER BY position), or GROUP BY in a subquery", name)
		return exact
	}
	if kind == aggregateRounds || kind == aggregateExact && slices.ContainsFunc(argumentTypes(n), floats) {
		j.refuse(n, whyRounds, "cast to DECIMAL, as in sum(CAST(x AS DECIMAL(38,6))) OVER (…)", name)
		return exact
	}
	return j.aggregateState(n, worst, n.yes("distinct"), false, false, func() bool { return false })
}

// byRows tells whether a frame counts rows.
func byRows(n node) bool {
	return strings.HasSuffix(n.text("start"), "_ROWS") || strings.HasSuffix(n.text("end"), "_ROWS")
}

// refuseWindow points at the function or, where the engine made it of one, at
// the LIMIT of a correlated subquery.
func (j *judge) refuseWindow(n node, in *relation, name string) {
	if !slices.ContainsFunc(j.st.found.calls, func(c call) bool { return c.name == name }) {
		name = constructLimit
	}
	why, write := noTotal(in)
	j.refuse(n, "goes by the order of rows, and "+why, write, name)
}

// windowName is the function of a bound call: the engine names only aggregates.
func windowName(n node) string {
	if name := fold(n.text("name")); name != "" {
		return name
	}
	name := fold(strings.TrimPrefix(n.text("type"), "WINDOW_"))
	if name == "rank_dense" {
		return "dense_rank"
	}
	return name
}
