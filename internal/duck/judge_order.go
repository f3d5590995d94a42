package duck

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// orders are the expressions of a step's or call's ORDER BY.
func orders(n node) []node { return ordersIn(n.nodes("orders")) }

func ordersIn(list []node) []node {
	var out []node
	for _, order := range list {
		out = append(out, order.sub("expression"))
	}
	return out
}

// total tells whether an order by the expressions has no ties among rows of
// in that agree in within: they hold a key.
func (j *judge) total(in *relation, expressions []node, within []attr) bool {
	have := append(j.columnsOf(in, expressions), within...)
	for _, a := range have {
		have = append(have, j.identity[a]...)
	}
	return slices.ContainsFunc(in.keys, func(key []attr) bool {
		return !slices.ContainsFunc(key, func(a attr) bool { return !slices.Contains(have, a) })
	})
}

// columnsOf are the columns that the expressions are, alone or in rows and
// structs, which are compared by their parts.
func (j *judge) columnsOf(in *relation, expressions []node) []attr {
	var out []attr
	for _, n := range expressions {
		name := fold(n.text("name"))
		if f, ok := j.field(n, in); ok {
			out = append(out, f.attr)
		} else if n.text("expression_class") == "BOUND_FUNCTION" && (name == "row" || name == "struct_pack") {
			out = append(out, j.columnsOf(in, n.nodes("children"))...)
		}
	}
	return out
}

// fixed is a set of expressions and columns whose values are given: the same
// for all rows that an order holds to be equal.
type fixed struct {
	columns     []attr
	expressions []string
}

// fixedBy is what an order and a grouping fix: only what has no two values
// that are equal and not the same.
func (j *judge) fixedBy(in *relation, expressions []node) fixed {
	var out fixed
	for _, n := range expressions {
		if floats(typeOf(n)) || ambiguous(typeOf(n)) {
			continue
		}
		out.expressions = append(out.expressions, spelling(n))
		if f, ok := j.field(n, in); ok {
			out.columns = append(append(out.columns, f.attr), j.identity[f.attr]...)
		}
	}
	return out
}

// determined tells whether an expression over in has one value where all that
// is in by is given.
func (j *judge) determined(n node, in *relation, by fixed) bool {
	if n.text("expression_class") == "BOUND_CONSTANT" || slices.Contains(by.expressions, spelling(n)) {
		return true
	}
	if f, ok := j.field(n, in); ok {
		return slices.Contains(by.columns, f.attr)
	}
	parts := append(n.nodes("children"), n.nodes("case_checks")...)
	for _, key := range []string{"child", "left", "right", "else_expr", "when_expr", "then_expr"} {
		if part := n.sub(key); len(part) > 0 {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		if !j.determined(part, in, by) {
			return false
		}
	}
	return len(parts) > 0
}

// spelling is an expression's tree without what does not change its value.
func spelling(n node) string {
	text, err := json.Marshal(withoutNames(map[string]any(n)))
	if err != nil {
		return ""
	}
	return string(text)
}

func withoutNames(tree any) any {
	switch t := tree.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range t {
			if key != locationKey && key != "alias" {
				out[key] = withoutNames(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, value := range t {
			out[i] = withoutNames(value)
		}
		return out
	}
	return tree
}

// limit judges LIMIT and OFFSET: the rows before them must have a total order,
// or be equal where it has ties, or be one at most.
func (j *judge) limit(n node) *relation {
	in := j.child(n, 0)
	if !j.limitDetermined(n, in) {
		why, write := noTotal(in)
		j.refuse(n, "takes the rows that come first, and "+why, write, constructLimit)
	}
	return in
}

func (j *judge) limitDetermined(n node, in *relation) bool {
	for _, key := range []string{"limit_val", "offset_val"} {
		j.exprs(in, n.sub(key).sub("expression"))
	}
	var by []node
	if below := n.nodes("children"); len(below) == 1 && below[0].text("type") == "LOGICAL_ORDER_BY" {
		by = orders(below[0])
	}
	if j.total(in, by, nil) {
		return true
	}
	set := j.fixedBy(in, by)
	return len(in.fields) > 0 && !slices.ContainsFunc(in.fields, func(f field) bool {
		return !slices.Contains(set.columns, f.attr)
	})
}

const writeTotal = "end ORDER BY with position, of each relation that is joined, or with all columns of GROUP BY"

// noTotal says what is missing to an order, and what to write.
func noTotal(in *relation) (why, write string) {
	if len(in.keys) == 0 {
		return "nothing that ORDER BY could end with is known to be unique here (unnest() and UNION ALL repeat rows)",
			"order by all columns that are selected, or make rows unique first, as by GROUP BY"
	}
	return "no ORDER BY that tells all rows apart says which those are", writeTotal
}

// distinct judges DISTINCT, and DISTINCT ON, which takes the first row of each
// group.
func (j *judge) distinct(n node) *relation {
	in := j.child(n, 0)
	targets := n.nodes("distinct_targets")
	j.exprs(in, targets...)
	if n.text("distinct_type") == "DISTINCT_ON" {
		if !j.total(in, append(ordersIn(n.sub("order_by").nodes("orders")), targets...), nil) {
			why, write := noTotal(in)
			j.refuse(n, "takes the row of each group that comes first, and "+why, write, constructDistinctOn)
		}
		return &relation{fields: in.fields, keys: append(slices.Clone(in.keys), j.columnsOf(in, targets))}
	}
	out := &relation{fields: slices.Clone(in.fields)}
	j.merged(out.fields, constructDistinct)
	out.keys = append(slices.Clone(in.keys), out.attrs())
	return out
}

// merged judges that rows that are equal become one: of values that are equal
// but not the same, any is taken.
func (j *judge) merged(fields []field, construct string) {
	for i, f := range fields {
		switch {
		case ambiguous(f.typ):
			j.refuse(node{}, "of "+f.typ.text("id")+" makes one of values that are equal and differ, as 1 month and 30 days", writePlain, construct)
		case floats(f.typ):
			fields[i].state = max(f.state, loose)
		}
	}
}

// setOperation judges UNION ALL, EXCEPT and INTERSECT; UNION is a DISTINCT too.
func (j *judge) setOperation(n node) *relation {
	var out *relation
	for i := range n.nodes("children") {
		in := j.child(n, i)
		if out == nil {
			out = &relation{fields: slices.Clone(in.fields)}
		}
		if len(in.fields) != len(out.fields) {
			j.lost("UNION")
			return out
		}
		for k, f := range in.fields {
			out.fields[k].state = max(out.fields[k].state, j.seen(f))
		}
	}
	for i := range out.fields {
		out.fields[i].attr = j.fresh()
		out.fields[i].bind = n.number("table_index") + "." + strconv.Itoa(i)
	}
	if n.text("type") != "LOGICAL_UNION" {
		j.merged(out.fields, strings.TrimPrefix(n.text("type"), "LOGICAL_"))
	}
	return out
}
