package duck

import (
	"slices"
	"strconv"
)

// relation judges a step and all below it and returns what is known of its rows.
func (j *judge) relation(n node) *relation {
	switch n.text("type") {
	case "LOGICAL_DUMMY_SCAN":
		return &relation{keys: [][]attr{{}}}
	case "LOGICAL_GET":
		return j.scan(n)
	case "LOGICAL_CHUNK_GET":
		return j.table(n, n.nodes("chunk_types"))
	case "LOGICAL_EXPRESSION_GET":
		return j.values(n)
	case "LOGICAL_DELIM_GET":
		return j.delimGet(n)
	case "LOGICAL_CTE_REF":
		return j.cteRef(n)
	case "LOGICAL_MATERIALIZED_CTE":
		j.ctes[n.number("table_index")] = j.child(n, 0)
		return j.child(n, 1)
	case "LOGICAL_RECURSIVE_CTE":
		return j.recursive(n)
	case "LOGICAL_FILTER":
		in := j.child(n, 0)
		j.exprs(in, n.nodes("expressions")...)
		return in.projected(n)
	case "LOGICAL_PROJECTION":
		return j.projection(n)
	case "LOGICAL_AGGREGATE_AND_GROUP_BY":
		return j.aggregation(n, false)
	case "LOGICAL_WINDOW":
		return j.window(n, false)
	case "LOGICAL_UNNEST":
		return j.unnest(n)
	case "LOGICAL_ORDER_BY":
		in := j.child(n, 0)
		j.exprs(in, orders(n)...)
		return in.projected(n)
	case "LOGICAL_LIMIT":
		return j.limit(n)
	case "LOGICAL_DISTINCT":
		return j.distinct(n)
	case "LOGICAL_UNION", "LOGICAL_EXCEPT", "LOGICAL_INTERSECT":
		return j.setOperation(n)
	case "LOGICAL_CROSS_PRODUCT", "LOGICAL_COMPARISON_JOIN", "LOGICAL_ANY_JOIN", "LOGICAL_DELIM_JOIN", "LOGICAL_ASOF_JOIN":
		return j.join(n)
	}
	return j.unknown(n)
}

// unknown refuses a step that is not allowed, and all that is computed of it.
func (j *judge) unknown(n node) *relation {
	switch n.text("type") {
	case "LOGICAL_SAMPLE", "LOGICAL_POSITIONAL_JOIN":
		// Refused where it stands in the text.
	case "LOGICAL_PIVOT":
		j.add(-1, "PIVOT to so many columns", whyOrder, "write sum(…) FILTER (c = 'a') AS a for each")
	default:
		j.lost("a step of the plan (" + n.text("type") + ")")
	}
	if len(n.nodes("children")) == 0 {
		return &relation{}
	}
	var all relation
	for i := range n.nodes("children") {
		all.fields = append(all.fields, j.child(n, i).fields...)
	}
	return &all
}

func (j *judge) child(n node, i int) *relation {
	if children := n.nodes("children"); i < len(children) {
		return j.relation(children[i])
	}
	j.lost("a step of the plan (" + n.text("type") + ")")
	return &relation{}
}

// fields makes new columns of the types, which expressions know by the step's
// number at key.
func (j *judge) fields(n node, key string, types []node) []field {
	var out []field
	for i, typ := range types {
		out = append(out, field{attr: j.fresh(), typ: typ, bind: n.number(key) + "." + strconv.Itoa(i)})
	}
	return out
}

func (j *judge) table(n node, types []node) *relation {
	return &relation{fields: j.fields(n, "table_index", types)}
}

// projected is the relation with only those columns that a step lets through.
func (r *relation) projected(n node) *relation {
	chosen := n.list("projection_map")
	if len(chosen) == 0 {
		return r
	}
	out := &relation{keys: r.keys}
	for _, value := range chosen {
		if i := placeOf(value); i >= 0 && i < len(r.fields) {
			out.fields = append(out.fields, r.fields[i])
		}
	}
	return out
}

// attrs are the columns' identities.
func (r *relation) attrs() []attr {
	var out []attr
	for _, f := range r.fields {
		out = append(out, f.attr)
	}
	return out
}

// pass judges an expression that hands a column on or, else, makes a new one.
func (j *judge) pass(n node, in *relation) field {
	if f, ok := j.field(n, in); ok {
		if f.state == hidden {
			f.state = j.seen(f)
		}
		return f
	}
	return field{attr: j.fresh(), state: j.expr(n, in), typ: typeOf(n)}
}

func (j *judge) projection(n node) *relation {
	children := n.nodes("children")
	var in *relation
	if len(children) == 1 && children[0].text("type") == "LOGICAL_AGGREGATE_AND_GROUP_BY" {
		in = j.aggregation(children[0], ofScalarSubquery(n, children[0]))
	} else {
		in = j.child(n, 0)
	}
	out := &relation{keys: in.keys}
	for i, expression := range n.nodes("expressions") {
		f := j.pass(expression, in)
		f.bind = n.number("table_index") + "." + strconv.Itoa(i)
		out.fields = append(out.fields, f)
	}
	return out
}

// ofScalarSubquery tells whether a projection and the aggregate below it are
// what the engine makes of a subquery that returns one value: it takes the
// first row and fails where there are more, so that there is nothing to choose.
func ofScalarSubquery(projection, aggregate node) bool {
	list, made := aggregate.nodes("expressions"), projection.nodes("expressions")
	if len(aggregate.list("groups")) > 0 || len(list) != 2 || len(made) != 1 || len(made[0].nodes("case_checks")) != 1 {
		return false
	}
	check := made[0].nodes("case_checks")[0]
	when, then, otherwise := check.sub("when_expr"), check.sub("then_expr"), made[0].sub("else_expr")
	return list[0].text("name") == "first" && list[0].sub("filter") == nil &&
		list[1].text("name") == "count_star" && list[1].sub("filter") == nil &&
		when.text("type") == "COMPARE_GREATERTHAN" && when.sub("left").number("index") == "1" && when.sub("right").sub("value").number("value") == "1" &&
		then.text("name") == "error" && otherwise.text("expression_class") == "BOUND_REF" && otherwise.number("index") == "0"
}

func (j *judge) unnest(n node) *relation {
	in := j.child(n, 0)
	out := &relation{fields: slices.Clone(in.fields)} // a row becomes several: no key
	for i, expression := range n.nodes("expressions") {
		s := j.expr(expression, in)
		if s == loose && !floats(typeOf(expression)) {
			s = exact
		}
		out.fields = append(out.fields, field{attr: j.fresh(), state: s, typ: typeOf(expression), bind: n.number("unnest_index") + "." + strconv.Itoa(i)})
	}
	return out
}
