package window

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/duck"
	"strandline/landing"
)

// Compiled is a job whose SQL was read, checked and tried on no rows.
type Compiled struct {
	Job
	Code        []Part // all that can change the result beside the input rows
	Fingerprint digest.Hash
	Columns     []datafile.Column // of the output, in the SQL's order
	shapes      []Shape           // of the inputs, in their order
	statement   *duck.Statement
}

// Compile checks a job over what it reads, whose shapes are in the order of Job.Inputs.
// The error is ErrJob where the
// SQL is at fault, and then holds duck.Refusals where the result would not be a
// pure function of the input.
func Compile(ctx context.Context, engine *duck.Engine, job Job, shapes ...Shape) (*Compiled, error) {
	c, err := parse(ctx, engine, job, shapes)
	if err != nil {
		return nil, err
	}
	if err := c.inSession(ctx, engine, func(s *duck.Session) error {
		return s.CheckJob(ctx, c.statement, c.jobInputs())
	}); err != nil {
		return nil, job.fault(ctx, err)
	}
	return c.complete(ctx, engine)
}

// CompileUnchecked is Compile without the check that the SQL is a pure function
// of its input. It is for tests of what finds out at run time when it is not;
// a test of this package sees to it that nothing else calls it.
func CompileUnchecked(ctx context.Context, engine *duck.Engine, job Job, shapes ...Shape) (*Compiled, error) {
	c, err := parse(ctx, engine, job, shapes)
	if err != nil {
		return nil, err
	}
	return c.complete(ctx, engine)
}

func parse(ctx context.Context, engine *duck.Engine, job Job, shapes []Shape) (*Compiled, error) {
	if len(shapes) != len(job.Inputs) {
		return nil, fmt.Errorf("job %s reads %d inputs, of which %d are known", job.Name, len(job.Inputs), len(shapes))
	}
	for i, in := range job.Inputs {
		if hidden := shapes[i].Table.hidden(); hidden != "" {
			return nil, job.fault(ctx, fmt.Errorf("table %s has %s in its key, which is another column of that name to who reads it, so that nothing tells its rows apart: call it otherwise in job %[1]s, or leave it out of the key if the others tell rows apart", in.Name, hidden))
		}
	}
	statement, err := engine.Parse(ctx, job.SQL)
	if err != nil {
		return nil, job.fault(ctx, err)
	}
	return &Compiled{Job: job, shapes: shapes, statement: statement}, nil
}

// complete learns what a checked job makes.
func (c *Compiled) complete(ctx context.Context, engine *duck.Engine) (*Compiled, error) {
	job := c.Job
	err := c.statement.CheckInputs(job.relations())
	if err != nil {
		return nil, job.fault(ctx, err)
	}
	if c.Columns, err = c.describe(ctx, engine); err != nil {
		return nil, job.fault(ctx, err)
	}
	if err := c.checkKey(); err != nil {
		return nil, job.fault(ctx, err)
	}
	if err := c.checkChecks(ctx, engine); err != nil {
		return nil, job.fault(ctx, err)
	}
	c.Code = c.code(engine.Version())
	c.Fingerprint = digestOf(c.Code)
	return c, nil
}

// fault blames the job for err, unless it comes of being stopped.
func (j Job) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("job %s: %w", j.Name, err)
	}
	if errors.Is(err, duck.ErrMemory) || errors.Is(err, duck.ErrIO) || errors.Is(err, duck.ErrEngine) {
		return fmt.Errorf("job %s: %w: %w", j.Name, ErrResources, err)
	}
	return fmt.Errorf("job %s: %w: %w", j.Name, ErrJob, err)
}

// describe runs the SQL over no rows at all, to learn what it makes.
func (c *Compiled) describe(ctx context.Context, engine *duck.Engine) ([]datafile.Column, error) {
	var columns []datafile.Column
	err := c.inSession(ctx, engine, func(s *duck.Session) (err error) {
		columns, err = s.Describe(ctx, c.statement.Text)
		return err
	})
	return columns, err
}

// inSession gives use a session in which the inputs have no rows.
func (c *Compiled) inSession(ctx context.Context, engine *duck.Engine, use func(*duck.Session) error) error {
	session, err := engine.Session(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := c.relate(ctx, session, Interval{}, make([]fetched, len(c.Inputs))); err != nil {
		return err
	}
	return use(session)
}

// checkKey refuses a key or a time that the output lacks, since every run would fail.
func (c *Compiled) checkKey() error {
	for _, name := range c.Key {
		if _, err := c.selected("the key names", name); err != nil {
			return err
		}
	}
	column, err := c.selected("rows belong to the partition of", c.TimeColumn())
	if err == nil && column.Type.Kind != datafile.TimestampTZ {
		err = fmt.Errorf("the SQL makes %s a %s: select it as it is, a TIMESTAMP WITH TIME ZONE", c.TimeColumn(), column.Type)
	}
	return err
}

// selected returns the output's column of a name, or says who wants it.
func (c *Compiled) selected(wanted, name string) (datafile.Column, error) {
	var names []string
	for _, column := range c.Columns {
		if strings.EqualFold(column.Name, name) {
			return column, nil
		}
		names = append(names, column.Name)
	}
	return datafile.Column{}, fmt.Errorf("%s %s, which the SQL does not select: it selects %s", wanted, name, strings.Join(names, ", "))
}

// jobInputs are all relations that the job may read, with what tells their rows apart.
func (c *Compiled) jobInputs() (inputs []duck.JobInput) {
	for i, in := range c.Inputs {
		unique := c.Window.unique([]string{landing.ColumnPosition})
		if in.Table {
			unique = c.Window.unique(c.shapes[i].Table.unique())
		}
		inputs = append(inputs, duck.JobInput{Name: in.Name, Unique: unique})
	}
	for _, l := range c.Lookups {
		inputs = append(inputs, duck.JobInput{Name: l.Name, Unique: []string{landing.ColumnPosition}})
	}
	return inputs
}

// readColumns lists those of an input's columns that the result can depend on, by name.
func (c *Compiled) readColumns(columns []datafile.Column) []datafile.Column {
	ours := slices.Concat(c.Dedup.columns(), c.Window.By)
	var out []datafile.Column
	for _, column := range columns {
		name := strings.ToLower(column.Name)
		forUs := slices.ContainsFunc(ours, func(k string) bool { return strings.EqualFold(k, name) })
		if c.statement.Star || forUs || slices.Contains(c.statement.Columns, name) {
			out = append(out, column)
		}
	}
	slices.SortFunc(out, func(a, b datafile.Column) int { return strings.Compare(a.Name, b.Name) })
	return out
}
