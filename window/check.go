package window

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/manifests"
)

// Check is what a job declares of its results, one partition at a time. Checks
// don't change a result, so they are not part of the fingerprint.
type Check struct {
	Name      string // for people; may be empty
	OnFailure OnFailure
	Rule      Rule
}

// OnFailure says what becomes of a result that does not pass a check.
type OnFailure string

// The choices of OnFailure.
const (
	Block OnFailure = "block" // held, for a person to release or drop
	Warn  OnFailure = "warn"  // published, and told
)

// String names the check as its violations begin.
func (c Check) String() string {
	if c.Name == "" {
		return "check " + c.Rule.String()
	}
	return fmt.Sprintf("check %s (%s)", c.Name, c.Rule)
}

// Rule is what must hold of a result: NotNull, Unique, Accepted, Range,
// RowCount or NoRow.
type Rule interface {
	String() string
	// fits refuses a rule that no result of the job could be held against.
	fits(ctx context.Context, made exam) error
	// broken says in words what is wrong with a result, or nothing.
	broken(ctx context.Context, made exam) (string, error)
}

// Findings are what a job's checks say of a result, each in words that a person
// can act on. It may be published only if there is no violation.
type Findings struct {
	Violations []string // of checks that block
	Warnings   []string // of checks that warn
}

// exam is one result before its checks: a view of the job's name, in a session
// that sees nothing else.
type exam struct {
	session  *duck.Session
	engine   *duck.Engine
	job      *Compiled
	rows     int64
	standing *manifests.Receipt // nil if the partition was never published
}

// ErrCheck says that a declared check could not be evaluated on a result, so
// that nobody knows whether it passes.
var ErrCheck = errors.New("a check of the job can't be evaluated")

// Examine holds a result, in the local Parquet files with that many rows in
// all, against all of the job's checks. standing is the partition's receipt,
// or nil. Errors: ErrCheck where a check can't be evaluated, ErrResources, or
// what ctx says.
func (c *Compiled) Examine(ctx context.Context, engine *duck.Engine, files []string, rows int64, standing *manifests.Receipt) (Findings, error) {
	var findings Findings
	err := c.examine(ctx, engine, "SELECT * FROM "+duck.ReadParquet(files), func(made exam, check Check) error {
		made.rows, made.standing = rows, standing
		text, err := check.Rule.broken(ctx, made)
		switch {
		case err != nil:
			if err = c.classify(ctx, err); errors.Is(err, ErrJob) {
				// Checks are no part of the code that a failure is recorded for, so
				// that mending one would not be noticed.
				return fmt.Errorf("%w: %s: %v", ErrCheck, check, err)
			}
			return fmt.Errorf("%s: %w", check, err)
		case text != "" && check.OnFailure == Warn:
			findings.Warnings = append(findings.Warnings, check.String()+": "+text)
		case text != "":
			findings.Violations = append(findings.Violations, check.String()+": "+text)
		}
		return nil
	})
	return findings, err
}

// checkChecks refuses checks that could never be evaluated, all in one error.
func (c *Compiled) checkChecks(ctx context.Context, engine *duck.Engine) error {
	var problems []error
	err := c.examine(ctx, engine, c.noRows(), func(made exam, check Check) error {
		if err := check.Rule.fits(ctx, made); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", check, err))
		}
		return ctx.Err()
	})
	return errors.Join(err, errors.Join(problems...))
}

// examine calls each with every check and a session that sees the rows of a
// SELECT as the job's table.
func (c *Compiled) examine(ctx context.Context, engine *duck.Engine, result string, each func(exam, Check) error) error {
	if len(c.Checks) == 0 {
		return nil
	}
	session, err := engine.Session(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.View(ctx, c.Name, result); err != nil {
		return c.classify(ctx, err)
	}
	for _, check := range c.Checks {
		if err := each(exam{session: session, engine: engine, job: c}, check); err != nil {
			return err
		}
	}
	return nil
}

// noRows is a SELECT of the job's output without any row.
func (c *Compiled) noRows() string {
	columns := make([]string, len(c.Columns))
	for i, column := range c.Columns {
		columns[i] = fmt.Sprintf("NULL::%s AS %s", column.Type, duck.Ident(column.Name))
	}
	return "SELECT " + strings.Join(columns, ", ") + " WHERE false"
}

// column finds a column of the output, as the engine compares names.
func (e exam) column(name string) (datafile.Column, error) {
	var names []string
	for _, column := range e.job.Columns {
		if strings.EqualFold(column.Name, name) {
			return column, nil
		}
		names = append(names, column.Name)
	}
	return datafile.Column{}, fmt.Errorf("the SQL selects no column %s: it selects %s", name, strings.Join(names, ", "))
}

func (e exam) has(names []string) error {
	for _, name := range names {
		if _, err := e.column(name); err != nil {
			return err
		}
	}
	return nil
}

// examples is how many of the rows that are wrong a violation shows.
const examples = 3

// rowsWhere tells how many rows meet an SQL condition, and shows some: by their
// key and these columns.
func (e exam) rowsWhere(ctx context.Context, condition string, columns ...string) (shown string, rows int64, err error) {
	show := slices.Clone(e.job.Key)
	for _, name := range columns {
		if !slices.ContainsFunc(show, func(k string) bool { return strings.EqualFold(k, name) }) {
			show = append(show, name)
		}
	}
	return e.find(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s", idents(show), duck.Ident(e.job.Name), condition))
}

// find tells how many rows a SELECT returns, and shows some.
func (e exam) find(ctx context.Context, sql string) (shown string, rows int64, err error) {
	first, rows, err := e.session.Peek(ctx, sql, examples)
	return "for example (" + strings.Join(first, "), (") + ")", rows, err
}

func idents(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = duck.Ident(name)
	}
	return strings.Join(quoted, ", ")
}
