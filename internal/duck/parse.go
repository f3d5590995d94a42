package duck

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Statement is one SELECT statement, taken apart.
type Statement struct {
	// Text is the statement as it was written, without a semicolon at its end,
	// so that it can be put into parentheses (on lines of its own, since it may
	// end in a comment).
	Text string
	// Normalized is the statement's syntax tree as JSON. It is equal for texts
	// that differ in white space, comments and the case of keywords only.
	Normalized string
	// Plain is the statement as the engine writes it, on one line, for people. Texts
	// with the same Normalized have the same one.
	Plain string
	// Tables are the relations read that are not the statement's own (WITH),
	// as written, sorted. One with a schema has it before a dot, quoted where
	// needed; a file name used as a relation stands here too.
	Tables []string
	// Columns are the lower-case names of all columns mentioned anywhere, and
	// perhaps a few more, such as fields of structs; sorted.
	Columns []string
	// Star tells that Columns can't tell all columns that are read: there is a
	// *, or another construct that reads a relation's columns unnamed.
	Star bool
	// Functions are the lower-case names of all functions and operators
	// called in expressions, sorted.
	Functions []string
	// TableFunctions are the lower-case names of functions called as relations,
	// sorted.
	TableFunctions []string

	found *findings
}

// serialized is what json_serialize_sql returns.
type serialized struct {
	Error        bool              `json:"error"`
	ErrorType    string            `json:"error_type"`
	ErrorMessage string            `json:"error_message"`
	Position     string            `json:"position"`
	Statements   []json.RawMessage `json:"statements"`
}

// Parse takes a person's SQL apart: exactly one SELECT statement. It looks at
// the syntax only; whether names exist shows when the statement is described.
// An error says what was found, where, and what to write.
func (e *Engine) Parse(ctx context.Context, sql string) (*Statement, error) {
	s, err := e.Session(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.parse(ctx, sql)
}

func (s *Session) parse(ctx context.Context, sql string) (*Statement, error) {
	tree, err := s.tree(ctx, sql)
	if err != nil {
		return nil, err
	}
	found := inspect(tree)
	if len(found.parameters) > 0 {
		return nil, errors.New("parameters such as ? and $1 have no value here: write the value itself")
	}
	st := &Statement{
		Tables: found.tableNames(), Columns: sorted(found.columns), Star: found.star(),
		Functions: sorted(found.functions), TableFunctions: sorted(found.tableFunctions), found: found,
	}
	if st.Normalized, err = normalize(tree); err != nil {
		return nil, err
	}
	st.Text = s.withoutEnd(ctx, sql, st.Normalized)
	st.Plain = s.plain(ctx, sql)
	return st, ctx.Err()
}

// plain returns SQL as the engine writes it, or where it can't as it is: that is for
// people to read.
func (s *Session) plain(ctx context.Context, sql string) string {
	row, err := s.row(ctx, "SELECT json_deserialize_sql(json_serialize_sql(?::VARCHAR))", driver.NamedValue{Ordinal: 1, Value: sql})
	if err != nil {
		return sql
	}
	if text, ok := row[0].(string); ok {
		return text
	}
	return sql
}

// tree returns the syntax tree of the one SELECT in sql. Numbers keep their
// digits.
func (s *Session) tree(ctx context.Context, sql string) (any, error) {
	if strings.ContainsRune(sql, 0) {
		return nil, errors.New("SQL holds a NUL byte: remove it")
	}
	row, err := s.row(ctx, "SELECT json_serialize_sql(?::VARCHAR)::VARCHAR", driver.NamedValue{Ordinal: 1, Value: sql})
	if err != nil {
		return nil, fmt.Errorf("parse SQL: %w", err)
	}
	text, ok := row[0].(string)
	if !ok {
		return nil, fmt.Errorf("parse SQL: the engine returned %T instead of a syntax tree", row[0])
	}
	var out serialized
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		// The engine writes a number beyond DOUBLE as a bare Infinity.
		return nil, errors.New("a number is too large for DOUBLE: write it as a text with a CAST")
	}
	if err := out.problem(sql); err != nil {
		return nil, err
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(out.Statements[0]))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("parse SQL: read the syntax tree: %w", err)
	}
	return tree, nil
}

// problem says why this is not exactly one SELECT, or nil.
func (out *serialized) problem(sql string) error {
	switch {
	case out.Error && out.ErrorType == "not implemented":
		return notSelect(firstWord(sql))
	case out.Error:
		return errors.New(pointAt(sql, out.ErrorMessage, out.Position))
	case len(out.Statements) == 0:
		return errors.New("there is no SQL: write one SELECT statement")
	case len(out.Statements) > 1:
		return fmt.Errorf("found %d statements: write one SELECT statement (WITH … AS (…) names its steps)", len(out.Statements))
	}
	return nil
}

func notSelect(word string) error {
	switch word {
	case "PIVOT":
		return errors.New("PIVOT takes its columns from the data: name them, as in PIVOT t ON c IN ('a', 'b') USING sum(x)")
	case "SELECT", "WITH", "FROM", "VALUES":
		return errors.New("found another statement beside the SELECT: write one SELECT statement")
	}
	return fmt.Errorf("found %s: write one SELECT statement; what it returns is stored or shown by Strandline", word)
}

// withoutEnd cuts sql before the semicolon that ends its statement: at the
// first one whose text before it is the same statement.
func (s *Session) withoutEnd(ctx context.Context, sql, normalized string) string {
	for i, c := range []byte(sql) {
		if c != ';' {
			continue
		}
		tree, err := s.tree(ctx, sql[:i])
		if err != nil {
			continue
		}
		if n, err := normalize(tree); err == nil && n == normalized {
			return sql[:i]
		}
	}
	return sql
}

// pointAt is an error message with the line it is about and a caret under the
// place, which is a byte offset.
func pointAt(sql, message, position string) string {
	at, err := strconv.Atoi(position)
	if err != nil || at < 0 || at > len(sql) {
		return message
	}
	start := strings.LastIndexByte(sql[:at], '\n') + 1
	line, _, _ := strings.Cut(sql[start:], "\n")
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, sql[start:at])
	number := strings.Count(sql[:start], "\n") + 1
	return fmt.Sprintf("line %d: %s\n  %s\n  %s^", number, message, strings.TrimRight(line, "\r"), indent)
}

func sorted(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
