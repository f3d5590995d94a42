package duck

import "slices"

// join judges a join. What it makes is a bag of pairs, except ASOF, which
// takes the nearest row of the right side, and needs it to be one.
func (j *judge) join(n node) *relation {
	left, right := j.sides(n)
	equalLeft, equalRight := j.conditions(n, left, right)
	asof := n.text("type") == "LOGICAL_ASOF_JOIN"
	if asof && !covered(right.keys, equalRight) {
		j.refuse(n, "takes the nearest row of the right side, of which there may be several", "make the right side unique in the columns of the condition, as by GROUP BY in a subquery", constructAsof)
	}
	kind := n.text("join_type")
	if n.text("type") == "LOGICAL_CROSS_PRODUCT" {
		kind = "INNER"
	}
	switch kind {
	case "SEMI", "ANTI":
		return left.projected(node{"projection_map": n["left_projection_map"]})
	case "MARK":
		mark := field{attr: j.fresh(), typ: booleanType, bind: n.number("mark_index") + ".0"}
		return &relation{fields: append(slices.Clone(left.fields), mark), keys: left.keys}
	}
	out := &relation{fields: append(slices.Clone(left.fields), right.fields...)}
	out.keys = pairKeys(kind, left.keys, right.keys, asof || covered(right.keys, equalRight), covered(left.keys, equalLeft))
	if !slices.Contains([]string{"INNER", "LEFT", "RIGHT", "FULL", "OUTER", "SINGLE"}, kind) || n.yes("delim_flipped") ||
		len(n.list("left_projection_map"))+len(n.list("right_projection_map")) > 0 {
		j.lost("a join (" + kind + ")")
	}
	return out
}

// sides judges both sides of a join. The right one of a correlated join is
// computed for each of some values of the left one.
func (j *judge) sides(n node) (left, right *relation) {
	children := n.nodes("children")
	if n.text("type") != "LOGICAL_DELIM_JOIN" || len(children) != 2 {
		return j.child(n, 0), j.child(n, 1)
	}
	if children[0].text("type") == "LOGICAL_WINDOW" {
		left = j.window(children[0], true)
	} else {
		left = j.relation(children[0])
	}
	outer := j.delim
	j.delim = nil
	for _, column := range n.nodes("duplicate_eliminated_columns") {
		j.delim = append(j.delim, j.pass(column, left))
	}
	right = j.relation(children[1])
	j.delim = outer
	return left, right
}

// conditions judges the conditions of a join and returns the columns that must
// be equal on both sides, or that ASOF compares.
func (j *judge) conditions(n node, left, right *relation) (equalLeft, equalRight []attr) {
	both := &relation{fields: append(slices.Clone(left.fields), right.fields...)}
	j.exprs(both, n.sub("condition"), n.sub("predicate"))
	for _, condition := range n.nodes("conditions") {
		l, r := j.pass(condition.sub("left"), left), j.pass(condition.sub("right"), right)
		comparison := condition.text("comparison")
		equal := comparison == "COMPARE_EQUAL" || comparison == "COMPARE_NOT_DISTINCT_FROM"
		if !equal && (l.state == identifying || r.state == identifying) {
			j.lost("a correlated subquery")
		}
		if equal || n.text("type") == "LOGICAL_ASOF_JOIN" {
			equalLeft, equalRight = append(equalLeft, l.attr), append(equalRight, r.attr)
		}
	}
	return equalLeft, equalRight
}

// covered tells whether columns hold a key.
func covered(keys [][]attr, columns []attr) bool {
	return slices.ContainsFunc(keys, func(key []attr) bool {
		return !slices.ContainsFunc(key, func(a attr) bool { return !slices.Contains(columns, a) })
	})
}

// pairKeys are the keys of a join's rows. oneRight tells that a row of the left
// side meets one of the right at most, oneLeft the reverse. A key of one side
// stays one where its rows are not repeated, nor replaced by NULLs.
func pairKeys(kind string, left, right [][]attr, oneRight, oneLeft bool) [][]attr {
	var out [][]attr
	if kind == "FULL" || kind == "OUTER" {
		return nil
	}
	if kind == "SINGLE" || oneRight && kind != "RIGHT" {
		out = append(out, left...)
	}
	if oneLeft && kind != "LEFT" && kind != "SINGLE" {
		out = append(out, right...)
	}
	for _, l := range left {
		for _, r := range right {
			out = append(out, slices.Concat(l, r))
		}
	}
	return out
}
