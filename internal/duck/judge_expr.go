package duck

import "slices"

// field is the column of in that n refers to, if it is a reference.
func (j *judge) field(n node, in *relation) (field, bool) {
	switch n.text("expression_class") {
	case "BOUND_REF":
		if i := n.index("index"); i >= 0 && i < len(in.fields) {
			return in.fields[i], true
		}
	case "BOUND_COLUMN_REF":
		b := n.sub("binding")
		bind := b.number("table_index") + "." + b.number("column_index")
		for _, c := range in.fields {
			if c.bind == bind && n.index("depth") == 0 {
				return c, true
			}
		}
	default:
		return field{}, false
	}
	j.lost("a reference to a column")
	return field{state: hidden}, true
}

// expr judges an expression over the rows of in and returns how well its value
// is determined.
func (j *judge) expr(n node, in *relation) state {
	if c, ok := j.field(n, in); ok {
		return j.seen(c)
	}
	switch n.text("expression_class") {
	case "BOUND_CONSTANT":
		return exact
	case "BOUND_COMPARISON", "BOUND_CONJUNCTION", "BOUND_BETWEEN":
		j.exprs(in, n.sub("left"), n.sub("right"), n.sub("input"), n.sub("lower"), n.sub("upper"))
		j.exprs(in, n.nodes("children")...)
		return exact
	case "BOUND_CASE":
		return j.choice(n, in)
	case "BOUND_CAST":
		return j.cast(n, in)
	case "BOUND_OPERATOR":
		return j.operator(n, in)
	case "BOUND_UNNEST":
		return j.exprs(in, n.sub("child"))
	case "BOUND_FUNCTION":
		return j.call(n, in)
	}
	j.lost("an expression")
	return hidden
}

// exprs judges several expressions and returns the worst state; empty nodes,
// which are absent parts, count for nothing.
func (j *judge) exprs(in *relation, list ...node) state {
	worst := exact
	for _, n := range list {
		if len(n) > 0 {
			worst = max(worst, j.expr(n, in))
		}
	}
	return worst
}

// seen is the state of a column where its value is computed with.
func (j *judge) seen(c field) state {
	if c.state <= loose {
		return c.state
	}
	if c.state == hidden {
		j.add(-1, rowID, "is where a row is stored", writeRowID)
	} else {
		j.lost("a correlated subquery")
	}
	return exact
}

func (j *judge) choice(n node, in *relation) state {
	worst := j.exprs(in, n.sub("else_expr"))
	for _, check := range n.nodes("case_checks") {
		j.exprs(in, check.sub("when_expr"))
		worst = max(worst, j.exprs(in, check.sub("then_expr")))
	}
	return worst
}

// cast: a loose zero is one zero as a whole number or DECIMAL, and stays loose
// as a float.
func (j *judge) cast(n node, in *relation) state {
	from := j.exprs(in, n.sub("child"))
	to := typeOf(n)
	switch {
	case from == exact || exactNumber(to):
		return exact
	case to.text("id") == "FLOAT" || to.text("id") == "DOUBLE":
		return loose
	}
	j.refuseLoose(n, "a cast to "+to.text("id"))
	return exact
}

// refuseLoose refuses to show the sign of a zero that is not determined.
func (j *judge) refuseLoose(n node, what string) {
	at := n.location()
	if !j.st.found.places[at] {
		at = -1 // in the text of a macro
	}
	j.add(at, what, "may show the sign of a zero, which min, max, GROUP BY, DISTINCT and the like of FLOAT or DOUBLE leave open",
		"add 0 first, as in max(x) + 0, or use DECIMAL")
}

func (j *judge) operator(n node, in *relation) state {
	worst := j.exprs(in, n.nodes("children")...)
	switch n.text("type") {
	case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_NOT", "COMPARE_IN", "COMPARE_NOT_IN":
		return exact
	case "OPERATOR_COALESCE", "OPERATOR_NULLIF", "OPERATOR_TRY":
		return worst
	}
	j.lost("the operator " + n.text("type"))
	return hidden
}

// Functions that take a loose value without showing the sign of its zero:
// those that return a float, which is loose too, and those that do not.
var (
	loosePasses = []string{"-", "*", "+", "add", "subtract", "multiply", "ceil", "ceiling", "floor", "round", "trunc", "sqrt", "cbrt",
		"exp", "sin", "cos", "tan", "degrees", "radians", "greatest", "least", "list_value", "list_pack", "struct_pack", "row",
		"struct_extract", "struct_extract_at", "list_extract", "array_extract", "list_element", "constant_or_null"}
	looseEnds = []string{"abs", "@", "isnan", "isinf", "isfinite", "sign"}
)

// call judges a function's arguments; its name has been.
func (j *judge) call(n node, in *relation) state {
	args := n.nodes("children")
	worst := j.exprs(in, args...)
	if worst == exact {
		return exact
	}
	switch name := fold(n.text("name")); {
	case slices.Contains(looseEnds, name), name == "+" && slices.ContainsFunc(args, isZero):
		return exact // -0.0 + 0 is 0.0
	case slices.Contains(loosePasses, name):
		if floats(typeOf(n)) {
			return loose
		}
		return exact
	case name == "/" && len(args) == 2 && j.expr(args[1], in) == exact:
		return loose
	default:
		j.refuseLoose(n, called(name))
	}
	return exact
}

// isZero tells whether an expression is the number 0 as written.
func isZero(n node) bool {
	for n.text("expression_class") == "BOUND_CAST" {
		n = n.sub("child")
	}
	if n.text("expression_class") != "BOUND_CONSTANT" {
		return false
	}
	number := n.sub("value").number("value")
	return number == "0" || number == "0.0"
}
