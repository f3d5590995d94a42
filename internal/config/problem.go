package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Problem is one thing that is wrong with a configuration. Errors of this
// package are Problems, joined; errors.As finds the first.
type Problem struct {
	File   string
	Line   int // from 1; 0 where the file could not be read at all
	Column int // in characters, from 1
	Text   string
	Err    error // the cause, if there is one
}

// Error returns file:line:column: text.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// problems gathers what is wrong with one file.
type problems struct {
	file string
	list []*Problem
}

func (ps *problems) add(line, column int, format string, args ...any) {
	ps.list = append(ps.list, &Problem{
		File: ps.file, Line: max(line, 1), Column: max(column, 1), Text: fmt.Sprintf(format, args...),
	})
}

// err joins all problems in the order of the file, one a line; nil if none.
func (ps *problems) err() error {
	slices.SortStableFunc(ps.list, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	errs := make([]error, len(ps.list))
	for i, p := range ps.list {
		errs[i] = p
	}
	return errors.Join(errs...)
}
