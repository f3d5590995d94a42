package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"strandline/internal/config"
	"strandline/internal/duck"
	"strandline/internal/scratch"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

func newValidate(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "validate [JOB…]",
		Short: "Check the configuration and every job's SQL",
		Long: `Check the configuration and the SQL of the jobs, all of them or those named,
without the network or any data; and that folders which streams watch, or
move files to, lie apart. A lake that is a folder on this machine need not be there; where it is,
a stream that its landed rows do not let be declared so is a note. What "strandline run" needs beside that and is not on this machine,
such as a watched folder or the tokens of posts, is a note. For each job it prints ok, its fingerprint and the columns
that it makes, or all that is wrong.

A job is accepted only if its result is a pure function of its input. What may
change with the clock, chance, settings, files, or the order in which rows are
stored or read is refused, with its line and column in the SQL and what to
write instead. Every other command checks the same before it runs a job.`,
		Example: `  strandline validate
  strandline validate events_hourly --json`,
		Args: takes(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.validate(cmd.Context(), args) },
	}
}

func (a *app) validate(ctx context.Context, names []string) (err error) {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if err := checkFolders(cfg); err != nil {
		return err
	}
	a.lacking(cfg)
	a.misdeclared(ctx, cfg)
	jobs, err := (&lake{config: cfg}).jobs(names)
	if err != nil {
		return err
	}
	dir := scratch.Open(cfg.Engine.TempDir)
	defer func() { err = errors.Join(err, dir.Close()) }()
	engine, err := duck.Open(ctx, duck.Options{Scratch: dir.Path(), Later: true, MemoryLimit: fmt.Sprintf("%dB", cfg.Engine.MemoryLimit)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	v := validation{cfg, dir}
	return a.validateJobs(ctx, &compiler{config: cfg, engine: engine, pin: v.pin, foreign: v.foreign, done: map[string]*window.Compiled{}}, jobs)
}

// misdeclared tells of streams of a lake on this machine that are declared as their rows do not let them be.
// That it can't be looked at is for those to tell who need it.
func (a *app) misdeclared(ctx context.Context, cfg *config.Config) {
	if cfg.Lake.InS3() {
		return
	}
	if _, err := os.Stat(cfg.Lake.Folder); err != nil {
		return
	}
	store, err := openStore(ctx, cfg)
	if err != nil {
		return
	}
	for _, s := range cfg.Streams {
		err := landing.Open(store, s.Spec, landing.Options{}).Refresh(ctx)
		if landing.IsMisdeclared(err) {
			a.note("note: %v", err)
		}
	}
}

// validation is what jobs read that are validated, without a lake where that can be.
type validation struct {
	config  *config.Config
	scratch *scratch.Dir
}

func (v validation) pin(_ context.Context, _ config.Job, file config.LookupFile) (window.Lookup, error) {
	if err := v.scratch.Mend(); err != nil {
		return window.Lookup{}, err
	}
	spec := lookupSpec(file, v.scratch.Path())
	content, err := spec.Read()
	if err != nil {
		return window.Lookup{}, err
	}
	pinned := window.Lookup{Name: file.Name, Columns: spec.AllColumns(), Content: content.Digest}
	return pinned, spec.Write(content, filepath.Join(v.scratch.Path(), file.Name+".parquet"))
}

func (v validation) foreign(ctx context.Context, name string) (*manifests.Snapshot, error) {
	store, err := openStore(ctx, v.config)
	if err != nil {
		return nil, fmt.Errorf("open lake %s: %w", v.config.Lake, err)
	}
	return manifests.Open(store, name, manifests.Options{}).Snapshot(ctx)
}

func (a *app) validateJobs(ctx context.Context, compiler *compiler, jobs []config.Job) error {
	wrong := 0
	for _, job := range jobs {
		compiled, err := compiler.compile(ctx, job)
		if err != nil && !errors.Is(err, window.ErrJob) {
			return err
		}
		if err != nil {
			wrong++
		}
		fact := validFact(job.Name, compiled, err)
		for _, s := range job.Schedules {
			fact.Schedules = append(fact.Schedules, s.String())
		}
		if err := a.fact(fact, "%s", fact.text()); err != nil {
			return err
		}
		if isBackfillCommand(a, job.Name) {
			a.note("job %s has the name of a command: strandline backfill … -- %s is of the job", job.Name, job.Name)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%s of %d: %w", count(wrong, "job"), len(jobs), window.ErrJob)
	}
	return nil
}

// isBackfillCommand tells whether "strandline backfill NAME" is a command of that name.
func isBackfillCommand(a *app, name string) bool {
	return slices.ContainsFunc(newBackfill(a).Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// validated is what validate says of one job.
type validated struct {
	Job         string         `json:"job"`
	OK          bool           `json:"ok"`
	Fingerprint string         `json:"fingerprint,omitempty"`
	Columns     []outputColumn `json:"columns,omitempty"`
	Schedules   []string       `json:"schedules,omitempty"`
	Refusals    duck.Refusals  `json:"refusals,omitempty"` // what makes it no pure function of its input
	Error       string         `json:"error,omitempty"`    // what else is wrong
}

type outputColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func validFact(job string, compiled *window.Compiled, err error) validated {
	v := validated{Job: job, OK: err == nil}
	refusals, refused := errors.AsType[duck.Refusals](err)
	switch {
	case refused:
		v.Refusals = refusals
	case err != nil:
		v.Error = err.Error()
		if _, own, found := strings.Cut(v.Error, window.ErrJob.Error()+": "); found {
			v.Error = own
		}
	default:
		v.Fingerprint = compiled.Fingerprint.String()
		for _, c := range compiled.Columns {
			v.Columns = append(v.Columns, outputColumn{c.Name, c.Type.String()})
		}
	}
	return v
}

// text is the same for a person.
func (v validated) text() string {
	var b strings.Builder
	switch {
	case v.OK:
		fmt.Fprintf(&b, "%s: ok, fingerprint %s\n", v.Job, v.Fingerprint)
		for _, c := range v.Columns {
			fmt.Fprintf(&b, "  %s %s\n", c.Name, c.Type)
		}
		for _, s := range v.Schedules {
			fmt.Fprintf(&b, "  scheduled %s\n", s)
		}
	case len(v.Refusals) > 0:
		why := "its result would not be a pure function of its input"
		if v.Refusals.OfInputs() {
			why = "it reads what is not one of its inputs"
		}
		fmt.Fprintf(&b, "%s: refused, since %s\n", v.Job, why)
		for _, r := range v.Refusals {
			fmt.Fprintf(&b, "  %v\n", r)
		}
	default:
		fmt.Fprintf(&b, "%s: %s\n", v.Job, strings.ReplaceAll(v.Error, "\n", "\n  "))
	}
	return b.String()
}
