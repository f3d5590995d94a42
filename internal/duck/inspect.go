package duck

import "strings"

// findings is what a walk over a syntax tree collects. All checks of a
// person's SQL read findings; nothing else walks the tree.
type findings struct {
	tables         map[table]bool
	relations      map[string]bool // names and aliases of all relations, folded
	columns        map[string]bool // folded
	lastParts      map[string]bool // the last part of each column reference, folded
	functions      map[string]bool // folded
	tableFunctions map[string]bool // folded
	parameters     map[string]bool
	aliases        map[string]bool // names given to columns and the like, folded
	shows          map[string]bool // DESCRIBE, SUMMARY, SHOW_…: statements about relations
	unnamed        bool            // reads columns of a relation without naming them
	calls          []call          // what refusals point at, in no order
	places         map[int]bool    // all byte offsets of the tree
	near           int             // the last of them above where the walk is, or -1
}

// table is a relation's name as written; catalog and schema are mostly empty.
type table struct{ catalog, schema, name string }

func (t table) String() string {
	name := ""
	for _, part := range []string{t.catalog, t.schema} {
		if part != "" {
			name += Ident(part) + "."
		}
	}
	if name == "" {
		return t.name
	}
	return name + Ident(t.name)
}

func (t table) qualified() bool { return t.catalog != "" || t.schema != "" }

// inspect walks a statement's syntax tree.
func inspect(tree any) *findings {
	f := &findings{
		tables: map[table]bool{}, relations: map[string]bool{}, columns: map[string]bool{},
		lastParts: map[string]bool{}, functions: map[string]bool{}, tableFunctions: map[string]bool{},
		parameters: map[string]bool{}, aliases: map[string]bool{}, places: map[int]bool{}, shows: map[string]bool{},
	}
	f.near = -1
	f.walk(tree, nil)
	eachNode(tree, func(n node) { f.places[n.location()] = true })
	delete(f.places, -1)
	return f
}

// star tells whether the columns read can't all be told by name. A reference
// to a relation as such is a struct of all its columns.
func (f *findings) star() bool {
	if f.unnamed {
		return true
	}
	for name := range f.lastParts {
		if f.relations[name] {
			return true
		}
	}
	return false
}

// tableNames lists the tables, each once whatever its case.
func (f *findings) tableNames() []string {
	names := map[string]bool{}
	seen := map[string]bool{}
	for t := range f.tables {
		names[t.String()] = true
	}
	var out []string
	for _, name := range sorted(names) {
		if !seen[fold(name)] {
			seen[fold(name)] = true
			out = append(out, name)
		}
	}
	return out
}

// node is one object of the syntax tree.
type node map[string]any

func (n node) text(key string) string {
	s, _ := n[key].(string)
	return s
}

func (n node) list(key string) []any {
	l, _ := n[key].([]any)
	return l
}

// texts returns the texts of the list at key.
func (n node) texts(key string) []string {
	var out []string
	for _, item := range n.list(key) {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func addFolded(set map[string]bool, names ...string) {
	for _, name := range names {
		if name != "" {
			set[strings.Clone(fold(name))] = true
		}
	}
}
