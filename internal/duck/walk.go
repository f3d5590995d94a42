package duck

import "strings"

// scope is the chain of names that WITH has made known at some place.
type scope struct {
	name  string // folded
	outer *scope
}

func (s *scope) with(name string) *scope { return &scope{name: fold(name), outer: s} }

func (s *scope) knows(name string) bool {
	for ; s != nil; s = s.outer {
		if s.name == fold(name) {
			return true
		}
	}
	return false
}

func (f *findings) walk(tree any, known *scope) {
	switch n := tree.(type) {
	case map[string]any:
		f.visit(node(n), known)
	case []any:
		for _, item := range n {
			f.walk(item, known)
		}
	}
}

// visit notes what a node is and walks what is below it.
func (f *findings) visit(n node, known *scope) {
	defer f.nearer(n)()
	known = f.with(n, known)
	switch n.text("type") {
	case "RECURSIVE_CTE_NODE":
		if keys := n.list("key_targets"); len(keys) > 0 {
			f.noteConstruct(node{"keys": keys}, constructUsingKey)
		}
		f.walk(n["left"], known)
		f.walk(n["right"], known.with(n.text("cte_name")))
		return
	case "BASE_TABLE":
		f.baseTable(n, known)
	case "TABLE_FUNCTION":
		f.tableFunction(n, known)
		return
	case "PIVOT":
		f.unnamed = true
		addFolded(f.columns, n.texts("groups")...)
	case "SHOW_REF":
		f.unnamed = true
		f.shows[n.text("show_type")] = true
		f.noteConstruct(n, constructShow)
	case "JOIN":
		f.unnamed = f.unnamed || n.text("ref_type") == "NATURAL"
		addFolded(f.columns, n.texts("using_columns")...)
		f.oddJoin(n)
	case "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER":
		f.noteConstruct(n, constructLimit)
	case "DISTINCT_MODIFIER":
		if len(n.list("distinct_on_targets")) > 0 {
			f.noteConstruct(n, constructDistinctOn)
		}
	case "SELECT_NODE":
		f.selectNode(n)
	case "SET_OPERATION_NODE":
		f.noteConstruct(n.sub("right"), n.text("setop_type"))
	default:
		f.expression(n)
	}
	if n["sample"] != nil {
		f.noteConstruct(n, constructSample)
	}
	addFolded(f.relations, n.relationAlias())
	addFolded(f.aliases, n.text("alias"))
	addFolded(f.aliases, n.texts("column_name_alias")...)
	addFolded(f.aliases, n.texts("aliases")...)
	f.below(n, known)
}

// with walks the queries that WITH names at this node, each of which knows
// those before it, and returns the scope of the rest of the node.
func (f *findings) with(n node, known *scope) *scope {
	ctes, _ := n["cte_map"].(map[string]any)
	for _, item := range node(ctes).list("map") {
		entry, _ := item.(map[string]any)
		f.walk(entry["value"], known)
		known = known.with(node(entry).text("key"))
		addFolded(f.relations, node(entry).text("key"))
	}
	return known
}

func (f *findings) below(n node, known *scope) {
	for key, value := range n {
		if key != "cte_map" {
			f.walk(value, known)
		}
	}
}

// recurring is the schema by which a recursive query sees all it has found.
const recurring = "recurring"

func (f *findings) baseTable(n node, known *scope) {
	t := table{catalog: n.text("catalog_name"), schema: n.text("schema_name"), name: n.text("table_name")}
	addFolded(f.relations, t.name)
	f.unnamed = f.unnamed || len(n.list("column_name_alias")) > 0
	if known.knows(t.name) && (!t.qualified() || t.catalog == "" && fold(t.schema) == recurring) {
		return
	}
	f.tables[t] = true
	f.calls = append(f.calls, call{kind: callRelation, name: t.String(), at: n.location()})
}

// selectNode notes what makes one row of several.
func (f *findings) selectNode(n node) {
	if groups := n.list("group_expressions"); len(groups) > 0 {
		f.noteConstruct(node{"groups": groups}, constructGroupBy)
	} else if n.text("aggregate_handling") == "FORCE_AGGREGATES" {
		f.noteConstruct(node{"list": n["select_list"]}, constructGroupBy)
	}
	for _, m := range n.nodes("modifiers") {
		if m.text("type") == "DISTINCT_MODIFIER" {
			f.noteConstruct(node{"list": n["select_list"]}, constructDistinct)
		}
	}
}

// nearer remembers where the walk is, for nodes that have no place of their
// own, and returns what forgets it.
func (f *findings) nearer(n node) func() {
	before := f.near
	if at := n.location(); at >= 0 {
		f.near = at
	}
	return func() { f.near = before }
}

// oddJoin notes a join that goes by the order of rows.
func (f *findings) oddJoin(n node) {
	switch n.text("ref_type") {
	case "ASOF":
		f.noteConstruct(n, constructAsof)
	case "POSITIONAL":
		f.noteConstruct(n, constructPositional)
	}
}

func (f *findings) tableFunction(n node, known *scope) {
	addFolded(f.relations, n.relationAlias())
	addFolded(f.aliases, n.texts("column_name_alias")...)
	call, _ := n["function"].(map[string]any)
	addFolded(f.tableFunctions, node(call).text("function_name"))
	addFolded(f.relations, node(call).text("function_name"))
	f.noteCall(call, callTable, node(call).text("function_name"))
	f.below(node(call), known)
}

// expression notes the node if it is an expression.
func (f *findings) expression(n node) {
	switch n.text("class") {
	case "COLUMN_REF":
		names := n.texts("column_names")
		addFolded(f.columns, names...)
		if len(names) > 0 {
			addFolded(f.lastParts, names[len(names)-1])
		}
		if len(names) == 1 || len(names) > 1 && fold(names[len(names)-1]) == rowID {
			f.noteCall(n, callName, names[len(names)-1])
		}
	case "FUNCTION":
		addFolded(f.functions, n.text("function_name"))
		f.noteCall(n, callFunction, n.text("function_name"))
	case "WINDOW":
		addFolded(f.functions, n.text("function_name"))
		f.noteCall(n, callWindow, n.text("function_name"))
	case "COLLATE":
		f.noteConstruct(n, constructCollate)
	case "CAST":
		f.cast(n)
	case "STAR", "POSITIONAL_REFERENCE":
		f.unnamed = true
	case "PARAMETER":
		f.parameters[n.text("identifier")] = true
	}
}

// relationAlias is the alias of a node that is a relation, else "".
func (n node) relationAlias() string {
	if n.text("class") != "" {
		return ""
	}
	return n.text("alias")
}

// rowID is the engine's own number of a row.
const rowID = "rowid"

// cast notes a text that is cast to a date or time.
func (f *findings) cast(n node) {
	child, _ := n["child"].(map[string]any)
	value, _ := child["value"].(map[string]any)
	to, _ := n["cast_type"].(map[string]any)
	text, ok := value["value"].(string)
	if kind := node(to).text("id"); ok && (strings.HasPrefix(kind, "DATE") || strings.HasPrefix(kind, "TIME")) {
		f.noteCall(child, callCast, strings.TrimSpace(text))
	}
}
