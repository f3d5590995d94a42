package duck

import (
	"slices"
	"strconv"
)

const (
	writeSequence = "give it an order without ties, such as (… ORDER BY position)"
	writeRounds   = "cast to DECIMAL, as in sum(CAST(x AS DECIMAL(38,6))), or give it an order without ties, as in sum(x ORDER BY position)"
	whyRounds     = "adds floats, which are rounded at each step, so that the order of rows tells"
	whyAmbiguous  = "takes one of values that are equal and differ, as 1 month and 30 days"
	writePlain    = "cast to VARCHAR, or to a number, first"
)

// aggregation judges GROUP BY. Of a subquery that returns one value, what it
// returns is not judged: there is one row, or an error.
func (j *judge) aggregation(n node, ofSubquery bool) *relation {
	in := j.aggregated(n)
	groups := n.nodes("groups")
	out := &relation{}
	for i, group := range groups {
		f := j.pass(group, in)
		f.bind = n.number("group_index") + "." + strconv.Itoa(i)
		out.fields = append(out.fields, f)
	}
	j.merged(out.fields, constructGroupBy)
	for i, f := range out.fields {
		if f.state == loose || len(n.list("grouping_sets")) > 1 {
			out.fields[i].attr = j.fresh() // no longer what it was in each row
		}
	}
	if len(n.list("grouping_sets")) <= 1 {
		out.keys = [][]attr{out.attrs()}
	}
	shared := sharedGroups(n, groups)
	for i, call := range n.nodes("expressions") {
		f := field{attr: j.fresh(), typ: typeOf(call), bind: n.number("aggregate_index") + "." + strconv.Itoa(i)}
		if ofSubquery {
			f.state = j.exprs(in, call.nodes("children")...)
		} else {
			f.state = j.aggregate(call, in, shared)
		}
		out.fields = append(out.fields, f)
	}
	for i := range n.list("grouping_functions") {
		out.fields = append(out.fields, field{attr: j.fresh(), typ: node{"id": "BIGINT"}, bind: n.number("groupings_index") + "." + strconv.Itoa(i)})
	}
	return out
}

// sharedGroups are those expressions of GROUP BY that every grouping set has:
// of ROLLUP, which has an empty one, none.
func sharedGroups(n node, groups []node) []node {
	var out []node
	for i, group := range groups {
		if !slices.ContainsFunc(n.list("grouping_sets"), func(set any) bool {
			members, _ := set.([]any)
			return !slices.ContainsFunc(members, func(member any) bool { return placeOf(member) == i })
		}) {
			out = append(out, group)
		}
	}
	return out
}

// aggregated is what an aggregation is over. To count rows it does not matter
// which of them a LIMIT has left.
func (j *judge) aggregated(n node) *relation {
	below := n.nodes("children")
	counts := len(n.list("groups")) == 0 && !slices.ContainsFunc(n.nodes("expressions"), func(call node) bool {
		return call.text("name") != "count_star" || call["filter"] != nil
	})
	if counts && len(below) == 1 && below[0].text("type") == "LOGICAL_LIMIT" {
		in := j.child(below[0], 0)
		j.limitDetermined(below[0], in)
		return in
	}
	return j.child(n, 0)
}

// aggregate judges one aggregate over groups of in.
func (j *judge) aggregate(n node, in *relation, groups []node) state {
	args := n.nodes("children")
	worst := j.exprs(in, args...)
	by := ordersIn(n.sub("order_bys").nodes("orders"))
	j.exprs(in, append(by, n.sub("filter"))...)
	distinct := n.text("aggregate_type") == "DISTINCT"
	grouped := j.groupColumns(in, groups)
	all := append(slices.Clone(by), groups...)
	set := j.fixedBy(in, all)
	given := !slices.ContainsFunc(args, func(a node) bool { return !j.determined(a, in, set) })
	ordered := !distinct && j.total(in, by, grouped)
	return j.aggregateState(n, worst, distinct, ordered, given, func() bool {
		return !distinct && len(args) > 1 && j.total(in, args[1:2], grouped)
	})
}

// groupColumns are the columns that all rows of a group have in common.
func (j *judge) groupColumns(in *relation, groups []node) []attr {
	var out []attr
	for _, group := range groups {
		if f, ok := j.field(group, in); ok {
			out = append(out, f.attr)
		}
	}
	return out
}

// aggregateState judges an aggregate by its kind. ordered tells that its rows
// come in a total order; given, that ties are between equal arguments; single,
// that one row has the extreme.
func (j *judge) aggregateState(n node, worst state, distinct, ordered, given bool, single func() bool) state {
	name := fold(n.text("name"))
	of := argumentTypes(n)
	switch kind := aggregateKinds[name]; {
	case kind == aggregateRefused: // by judge.names
		return exact
	case kind == aggregateOfBag:
		return exact
	case kind == aggregateExact && !slices.ContainsFunc(of, func(t node) bool { return !exactNumber(t) }):
		return exact
	case kind == aggregatePicks && slices.ContainsFunc(of, ambiguous), distinct && slices.ContainsFunc(of, ambiguous):
		j.refuse(n, whyAmbiguous, writePlain, name)
		return exact
	case kind == aggregatePicks:
		return looseOf(worst, of)
	case ordered || given && kind == aggregateOfSequence || kind == aggregateOfExtreme && single():
		if distinct {
			return looseOf(worst, of)
		}
		return worst
	case kind == aggregateOfSequence && distinct:
		j.refuse(n, whyOrder, "take DISTINCT in a subquery, and give it an order there is no tie in, such as (x ORDER BY x)", name)
	case kind == aggregateOfSequence:
		j.refuse(n, whyOrder, writeSequence, name)
	case kind == aggregateOfExtreme:
		j.refuse(n, whyOrder+" where two rows have the extreme", "make it one row's, as in "+name+"(x, (y, position)), or write "+instead(name), name)
	default:
		j.refuse(n, whyRounds, writeRounds, name)
	}
	return exact
}

// instead is how an extreme's row can be had with an order.
func instead(name string) string {
	if slices.Contains([]string{"arg_min", "argmin", "min_by", "arg_min_null", "arg_min_nulls_last"}, name) {
		return "first(x ORDER BY y, position)"
	}
	return "last(x ORDER BY y, position)"
}

// looseOf is the state of values chosen among equal ones of the types.
func looseOf(worst state, of []node) state {
	if slices.ContainsFunc(of, floats) {
		return max(worst, loose)
	}
	return worst
}

// argumentTypes are the types of what a bound aggregate is called on.
func argumentTypes(n node) []node {
	var out []node
	for _, arg := range n.nodes("children") {
		out = append(out, typeOf(arg))
	}
	return out
}
