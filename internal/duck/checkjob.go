package duck

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// CheckJob refuses a statement that is not a pure function of its inputs: one
// whose result may change with the clock, chance, settings, files, or with the
// order in which rows are stored or read. The error is Refusals, with all that
// is wrong, where the statement is at fault.
//
// inputs are views of this session without rows; the session can't be used for
// anything else afterwards.
//
// Everything is refused that is not known to be pure. The text's own tree tells
// which functions are called, and where. The plan that the engine makes of it,
// before any optimisation, tells what they come to: keywords that are calls,
// macros, types, lambdas. Every step of a plan gets a bag of rows and makes a
// bag of rows; the check holds if each step makes the same bag of equal bags.
func (s *Session) CheckJob(ctx context.Context, st *Statement, inputs []JobInput) error {
	r := &refusing{sql: st.Text, inputs: inputs}
	known := st.refuseReads(r, r.inputs.names())
	columns, err := s.asTables(ctx, r.inputs.names())
	if err != nil {
		return err
	}
	st.refuseCalls(r, columns)
	if !known {
		// The plan can't be made where a relation is missing, and must not be made
		// where the engine would look for it in files.
		st.refuseUnordered(r)
		return r.err()
	}
	plan, err := s.plan(ctx, st.Text)
	if err != nil && len(r.list) > 0 {
		st.refuseUnordered(r)
		return r.err() // of which err may come
	}
	if err != nil {
		return err
	}
	j := &judge{refusing: r, st: st, unique: r.inputs.unique(), ctes: map[string]*relation{}, identity: map[attr][]attr{}}
	j.statement(plan)
	return r.err()
}

// refuseReads refuses relations that are not inputs. It returns whether the
// plan of the statement can be made: all it reads is known.
func (st *Statement) refuseReads(r *refusing, inputs []string) bool {
	known := map[string]bool{}
	addFolded(known, inputs...)
	before := len(r.list)
	for _, c := range st.found.calls {
		switch {
		case c.kind == callTable && !tableFunctionNames[c.name]:
			why, write := adviceFor(c.name)
			r.add(c.at, c.name+"() in FROM", why, write)
		case c.kind == callRelation && st.found.reads(c.name) && !known[c.name]:
			what, why, write := st.found.relationAdvice(c.name, inputs)
			r.add(c.at, what, why, write)
		}
	}
	return len(r.list) == before
}

// reads tells whether a relation's folded name means one outside the statement.
func (f *findings) reads(name string) bool {
	for t := range f.tables {
		if fold(t.String()) == name {
			return true
		}
	}
	return false
}

// notAnInput is why a relation is refused that is no file.
const notAnInput = "is not an input"

// relationAdvice says what is wrong with a relation that is not an input.
func (f *findings) relationAdvice(name string, inputs []string) (what, why, write string) {
	for t := range f.tables {
		switch {
		case fold(t.String()) != name || !t.qualified():
		case slices.ContainsFunc(inputs, func(input string) bool { return fold(input) == fold(t.name) }):
			return "table " + name, "has a schema before its name, which no input has", "write " + Ident(t.name)
		default:
			return "table " + name, notAnInput, "read one of: " + strings.Join(inputs, ", ") + "; a stream or table that is declared is one once from: names it"
		}
	}
	if strings.ContainsAny(name, "./\\:*?[") {
		return "relation " + Literal(name), "is a file, not an input", "land the file in a stream and read that (inputs here: " + strings.Join(inputs, ", ") + ")"
	}
	return "table " + Ident(name), notAnInput, "read one of: " + strings.Join(inputs, ", ") + "; a stream or table that is declared is one once from: names it"
}

// refuseCalls refuses what can be told from the text alone. columns are those
// of the inputs, folded.
func (st *Statement) refuseCalls(r *refusing, columns map[string]bool) {
	for _, c := range st.found.calls {
		switch c.kind {
		case callFunction, callWindow:
			if !allowedName(c.name) {
				why, write := adviceFor(c.name)
				r.add(c.at, c.name+"()", why, write)
			}
		case callName:
			st.refuseName(r, c, columns)
		case callCast:
			if slices.Contains(clockTexts, c.name) {
				r.add(c.at, Literal(c.name)+" as a date or time", whyClock, writeClock)
			}
		case callConstruct:
			if a, refused := constructAdvice[c.name]; refused {
				r.add(c.at, c.name, a.why, a.write)
			}
		}
	}
}

// clockTexts mean the time of the run as dates or times, in some databases.
var clockTexts = []string{"now", "today", "tomorrow", "yesterday"}

// constructAdvice are the constructs that are refused wherever they stand.
var constructAdvice = map[string]advice{
	constructSample:     {nil, "takes rows by chance", "choose rows by their values, as in hash(position) % 10 = 0"},
	constructCollate:    {nil, "makes texts equal that are not the same", "compare and order by lower(…) or strip_accents(…)"},
	constructPositional: {nil, whyOrder, "join on a column, such as row_number() OVER (ORDER BY position)"},
	constructShow:       {nil, "tells about a relation, not what is in it", "SELECT what is wanted of it"},
}

// refuseName refuses keywords that stand for something outside the row, unless
// a column has that name.
func (st *Statement) refuseName(r *refusing, c call, columns map[string]bool) {
	if columns[c.name] || st.found.aliases[c.name] {
		return
	}
	switch c.name {
	case rowID:
		r.add(c.at, rowID, "is where a row is stored", writeRowID)
	case "current_user", "session_user", "user", "current_role", "current_catalog", "current_schema":
		why, write := adviceFor(c.name)
		r.add(c.at, c.name, why, write)
	}
}

func allowedName(name string) bool {
	_, window := allowedWindows[name]
	return scalarNames[name] || window || aggregateKinds[name] != aggregateRefused
}

// refuseUnordered refuses aggregates and windows that need an order and have
// none at all, which shows without a plan.
func (st *Statement) refuseUnordered(r *refusing) {
	for _, c := range st.found.calls {
		if c.kind == callFunction && aggregateKinds[c.name] == aggregateOfSequence && !c.sorted {
			r.add(c.at, c.name+"()", whyOrder, writeSequence)
		}
	}
}

// asTables replaces empty relations by empty tables of the same columns, whose
// scans a plan can show, and returns the columns' names.
func (s *Session) asTables(ctx context.Context, inputs []string) (map[string]bool, error) {
	columns := map[string]bool{}
	for i, input := range inputs {
		outputs, err := s.outputs(ctx, "SELECT * FROM "+Ident(input))
		if err != nil {
			return nil, err
		}
		for _, out := range outputs {
			addFolded(columns, out.name)
		}
		name := Ident(fmt.Sprintf("input table %d", i))
		for _, sql := range []string{
			"CREATE TEMP TABLE " + name + " AS SELECT * FROM " + Ident(input) + " LIMIT 0",
			"DROP VIEW " + Ident(input),
			"ALTER TABLE " + name + " RENAME TO " + Ident(input),
		} {
			if err := s.Exec(ctx, sql); err != nil {
				return nil, fmt.Errorf("make input %s for the check: %w", input, err)
			}
		}
	}
	return columns, nil
}
