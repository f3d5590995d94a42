package duck

import (
	"slices"
	"strings"
)

// names judges all functions and types of a plan, wherever they stand in it:
// also in lambdas, in the aggregate of a list, and in what macros come to.
func (j *judge) names(plan node) {
	eachNode(plan, func(n node) {
		switch n.text("expression_class") {
		case "":
			j.typeName(n)
		case "BOUND_FUNCTION":
			j.function(n)
		case "BOUND_AGGREGATE":
			if name := fold(n.text("name")); aggregateKinds[name] == aggregateRefused {
				why, write := adviceFor(name)
				j.refuse(n, why, write, name)
			}
		case "BOUND_WINDOW":
			if name := fold(n.text("name")); name != "" && aggregateKinds[name] == aggregateRefused {
				why, write := adviceFor(name)
				j.refuse(n, why, write, name)
			}
		default:
			if !slices.Contains(knownExpressions, n.text("expression_class")) {
				j.lost("an expression (" + strings.ToLower(n.text("expression_class")) + ")")
			}
		}
	})
}

// knownExpressions are the kinds of expressions beside calls.
var knownExpressions = []string{
	"BOUND_REF", "BOUND_COLUMN_REF", "BOUND_CONSTANT", "BOUND_COMPARISON", "BOUND_CONJUNCTION", "BOUND_BETWEEN",
	"BOUND_CASE", "BOUND_CAST", "BOUND_OPERATOR", "BOUND_UNNEST",
}

// function judges a call by its name.
func (j *judge) function(n node) {
	name := fold(n.text("name"))
	clock := name == "age" && len(n.list("children")) < 2
	switch {
	case name == "error":
		// The engine's own, of a subquery with more rows than one: who calls it
		// in the text is refused for that.
	case clock:
		j.refuseAt(n, name, whyClock, "give it a second argument, as in age(window_end, event_time)")
	case !scalarNames[name]:
		why, write := adviceFor(name)
		j.refuseAt(n, name, why, write)
	}
}

// refuseAt refuses a call that the text has by this name, or by a keyword that
// the engine has replaced by it.
func (j *judge) refuseAt(n node, name, why, write string) {
	at := n.location()
	for _, c := range j.st.found.calls {
		if c.at != at || at < 0 {
			continue
		}
		switch {
		case c.kind == callName: // a keyword, or a name that came to be this call
			j.add(at, c.name, why, write)
			return
		case c.name == name:
			j.add(at, name+"()", why, write)
			return
		}
	}
	j.refuse(n, why, write, name)
}

// knownTypes are the types that jobs may use on their way.
var knownTypes = strings.Fields(`BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT
	FLOAT DOUBLE DECIMAL VARCHAR BLOB BIT UUID DATE TIME TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS INTERVAL
	ENUM LIST ARRAY STRUCT MAP UNION NULL ANY LAMBDA INVALID INTEGER_LITERAL STRING_LITERAL TEMPLATE`)

func (j *judge) typeName(n node) {
	id, isType := n["id"].(string)
	if _, has := n["type_info"]; !isType || !has {
		return
	}
	if !slices.Contains(knownTypes, strings.TrimSuffix(id, " WITH TIME ZONE")) {
		j.add(-1, "type "+id, "is not known to be the same for the same values", "cast to another type")
	}
	if n.sub("type_info").text("collation") != "" {
		j.add(-1, constructCollate, constructAdvice[constructCollate].why, constructAdvice[constructCollate].write)
	}
}

// typeOf is a bound expression's type; of comparisons it is not told.
func typeOf(n node) node {
	switch n.text("expression_class") {
	case "BOUND_CONSTANT":
		return n.sub("value").sub("type")
	case "BOUND_COMPARISON", "BOUND_CONJUNCTION", "BOUND_BETWEEN":
		return booleanType
	}
	return n.sub("return_type")
}

var booleanType = node{"id": "BOOLEAN"}

// holds tells whether a type is, or has within, one of the named ones.
func holds(typ node, ids ...string) bool {
	found := false
	eachNode(typ, func(n node) {
		found = found || slices.Contains(ids, n.text("id"))
	})
	return found
}

// floats tells whether a type has values that are equal but for the sign of a
// zero.
func floats(typ node) bool { return holds(typ, "FLOAT", "DOUBLE") }

// ambiguous tells whether a type has values that are equal and yet differ much,
// as INTERVAL 1 MONTH and INTERVAL 30 DAYS.
func ambiguous(typ node) bool {
	return holds(typ, "INTERVAL", "UNION", "VARIANT", "INVALID", "ANY") || len(typ) == 0
}

// exactNumber tells whether sums of a type are not rounded.
func exactNumber(typ node) bool {
	switch typ.text("id") {
	case "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "DECIMAL":
		return true
	}
	return false
}
