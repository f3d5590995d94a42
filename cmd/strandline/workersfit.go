package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strandline/engines"
	"strandline/internal/config"
	"strandline/internal/digest"
	"strandline/manifests"
	"strandline/window"
)

// errUnfit says that what workers of an engine are configured with can't do a job as it is here.
var errUnfit = errors.New("no slice could be done")

// workersFit is errUnfit if workers of an engine are configured with other code of a job, or without it, or with
// another lake: each would refuse the plan. What can't be seen is told, and taken to fit.
func (l *lake) workersFit(ctx context.Context, engine engines.Engine, job string, code digest.Hash) error {
	configured, is := engine.(engines.Configured)
	if !is {
		return nil
	}
	theirs, err := configured.Configuration(ctx)
	if errors.Is(err, engines.ErrUnseen) {
		l.note("%v; whether it has job %s with this code shows when its slices begin", err, job)
		return nil
	}
	if err != nil {
		return err
	}
	w := &otherWorkers{Configuration: theirs, lake: l}
	err = w.fit(ctx, job, code)
	switch {
	case err == nil || !errors.Is(err, errUnfit):
		return err
	case len(w.guessed) > 0:
		l.note("%s: whether it fits shows when its slices begin, since %s may be set there by what is not seen from here; as seen from here %v", w.In, strings.Join(w.guessed, ", "), err)
		return nil
	}
	return fmt.Errorf("%s does not fit, so nothing was changed; change it first, and then ask again (docs/kubernetes.md, When the job's code changes): %w", w.In, err)
}

// otherWorkers are those of an engine, by what they are configured with.
type otherWorkers struct {
	engines.Configuration
	lake    *lake
	guessed []string // variables that are not known to be set there
}

// fit is errUnfit if they can't do a job of that code.
func (w *otherWorkers) fit(ctx context.Context, job string, code digest.Hash) error {
	text, has := w.Files[filepath.Base(w.File)]
	if !has {
		return fmt.Errorf("%w: it has no %s", errUnfit, filepath.Base(w.File))
	}
	theirs, err := config.Parse(text, w.File, w.env)
	if err != nil {
		return fmt.Errorf("%w: %v", errUnfit, err)
	}
	// Folders are left alone: one may be mounted there under another name.
	if here := w.lake.config.Lake; theirs.Lake != here && (theirs.Lake.InS3() || here.InS3()) {
		return fmt.Errorf("%w: its lake is %s, and here it is %s", errUnfit, theirs.Lake, here)
	}
	declared, err := theirs.Job(job)
	if err != nil {
		return fmt.Errorf("%w: %v", errUnfit, err)
	}
	compiled, err := w.compile(ctx, theirs, declared)
	if isAny(err, window.ErrJob, errLookup) {
		err = fmt.Errorf("%w: %v", errUnfit, err)
	}
	if err != nil || compiled.Fingerprint == code {
		return err
	}
	return fmt.Errorf("%w: its job %s is other code, %s, and here it is %s%s", errUnfit, job, compiled.Fingerprint.Short(), code.Short(), w.differs(compiled))
}

// differs names the parts of a job that differ, where it is known here.
func (w *otherWorkers) differs(theirs *window.Compiled) string {
	ours := w.lake.compiled(theirs.Name)
	if ours == nil {
		return ""
	}
	var parts []string
	for _, c := range window.Changes(ours.Definition(), theirs.Definition()) {
		parts = append(parts, c.Part)
	}
	if parts == nil {
		return ""
	}
	return " (which differ by " + strings.Join(parts, ", ") + ")"
}

// env are the variables of the workers. One that is not known to be there is guessed: what it is here, or any text.
func (w *otherWorkers) env(name string) (string, bool) {
	if value, known := w.Env[name]; known {
		return value, true
	}
	if !slices.Contains(w.guessed, name) {
		w.guessed = append(w.guessed, name)
	}
	if value, here := os.LookupEnv(name); here {
		return value, true
	}
	return "not-known-here", true
}

// compile compiles a job as they would.
func (w *otherWorkers) compile(ctx context.Context, theirs *config.Config, job config.Job) (*window.Compiled, error) {
	engine, err := w.lake.sql(ctx)
	if err != nil {
		return nil, err
	}
	c := compiler{config: theirs, engine: engine, pin: w.pin, foreign: w.foreign, done: map[string]*window.Compiled{}}
	return c.compile(ctx, job)
}

// foreign reads a table, which may be declared there alone.
func (w *otherWorkers) foreign(ctx context.Context, name string) (*manifests.Snapshot, error) {
	if _, declared := w.lake.tables[name]; declared {
		return w.lake.foreign(ctx, name)
	}
	return manifests.Open(w.lake.store, name, manifests.Options{Writer: writerName()}).Snapshot(ctx)
}

// pin pins what a lookup holds there. One that is not among the files is taken to be as it is here.
func (w *otherWorkers) pin(ctx context.Context, job config.Job, file config.LookupFile) (window.Lookup, error) {
	data, has := w.Files[filepath.Base(file.File)]
	if !has || filepath.Dir(file.File) != filepath.Dir(w.File) {
		return w.pinHere(ctx, job, file)
	}
	dir, err := w.lake.scratch.Sub("lookups of workers")
	if err != nil {
		return window.Lookup{}, err
	}
	path := filepath.Join(dir, filepath.Base(file.File))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return window.Lookup{}, err
	}
	file.File = path
	spec := lookupSpec(file, dir)
	content, err := spec.Read()
	if err != nil {
		return window.Lookup{}, fmt.Errorf("%w: %w", errLookup, err)
	}
	return written(spec, content, filepath.Join(dir, fmt.Sprintf("%s-%s.parquet", job.Name, file.Name)))
}

func (w *otherWorkers) pinHere(ctx context.Context, job config.Job, file config.LookupFile) (window.Lookup, error) {
	here, err := w.lake.config.Job(job.Name)
	if err != nil {
		return window.Lookup{}, fmt.Errorf("%w: %v", errUnfit, err)
	}
	for _, ours := range here.LookupFiles {
		if ours.Name == file.Name {
			return w.lake.pin(ctx, here, ours)
		}
	}
	return window.Lookup{}, fmt.Errorf("%w: job %s has the lookup %s, which there is none of here", errUnfit, job.Name, file.Name)
}
