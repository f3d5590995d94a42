package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"strandline/audit"
	"strandline/internal/localfile"
	"strandline/window"
)

func newCheckLake(a *app) *cobra.Command {
	var deep bool
	parallel := defaultParallel()
	cmd := &cobra.Command{
		Use:   "check-lake",
		Short: "Hold the whole lake against itself, and name every fault",
		Long: `Go through every stream and table that the lake has, declared or not, and hold

  logs         each entry against its seal, the chain and the entries before it
  checkpoints  each one against what the entries fold to
  files        each segment, file of rejects and published file that a kept version
               names: that it is there, with its size
  requests     each plan of a request that is listed: that it is there, and unchanged
  receipts     what each partition was computed from against what landed
  --deep       also every data file's bytes against their SHA-256, and its rows
               against the landing log or the receipt; it reads the whole lake

A fault has a stable name, and is told with the object, what it hits and what can
be done; docs/check-lake.md explains each. The check goes on after a fault, so one
run finds all. Notes tell of what harms nothing, such as files that failed
attempts left behind. Nothing is written or repaired, and what others land and
publish meanwhile is no fault.

The exit code is 0 where there are at most notes, and 1 if there is a fault, or if the lake
holds nothing, so that nothing was checked.`,
		Example: `  strandline check-lake
  strandline check-lake --deep
  strandline check-lake --json    one object a fault or note, and last the sum`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if parallel < 1 {
				return misused(cmd, "--parallel %d: want at least 1", parallel)
			}
			return a.checkLake(cmd, deep, parallel)
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "read every data file whole")
	cmd.Flags().IntVar(&parallel, "parallel", parallel, "read `N` files at a time")
	return cmd
}

func (a *app) checkLake(cmd *cobra.Command, deep bool, parallel int) (err error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.holdsSomething(cmd.Context()); err != nil {
		return err
	}
	jobs, err := a.auditedJobs(cmd, l)
	if err != nil {
		return err
	}
	copies, err := l.scratch.Sub("checked")
	if err != nil {
		return err
	}
	bar := a.progress()
	defer bar.Finish()
	printer := &foundPrinter{app: a, notes: map[noteKind]int{}}
	var told error
	checked, err := audit.Audit{
		// Each file is read once, so no copy is kept.
		Store: l.store, Files: localfile.New(l.store, copies, 0), Jobs: jobs, Deep: deep, Parallel: parallel,
		Start: bar.Start, Step: bar.Step,
		Found: func(f audit.Fault) { told = errors.Join(told, printer.found(f)) },
	}.Run(cmd.Context())
	printer.rest()
	if err := errors.Join(err, told); err != nil {
		return fmt.Errorf("check lake %s: %w", l.config.Lake, err)
	}
	return a.sumUpCheck(l, checked)
}

// auditedJobs are the jobs whose code can be told. One whose SQL or lookup is at
// fault does not keep the lake from being checked.
func (a *app) auditedJobs(cmd *cobra.Command, l *lake) (jobs []audit.Job, err error) {
	for _, job := range l.config.Jobs {
		task, err := l.task(cmd.Context(), job)
		switch {
		case errors.Is(err, window.ErrJob), errors.Is(err, errLookup):
			a.note("receipts of %s are held against positions alone: %v", job.Name, err)
		case err != nil:
			return nil, err
		default:
			jobs = append(jobs, audit.Job{Job: job.Job, Fingerprint: task.Fingerprint()})
		}
	}
	return jobs, nil
}

// checkedFact is what --json says last.
type checkedFact struct {
	Streams int   `json:"streams"`
	Tables  int   `json:"tables"`
	Objects int   `json:"objects"`
	Bytes   int64 `json:"bytes"`
	Faults  int   `json:"faults"`
	Notes   int   `json:"notes"`
}

func (a *app) sumUpCheck(l *lake, c audit.Checked) error {
	err := a.fact(checkedFact(c), "checked %s, %s, %s with %d bytes: %s, %s\n",
		count(c.Streams, "stream"), count(c.Tables, "table"), count(c.Objects, "object"), c.Bytes, count(c.Faults, "fault"), count(c.Notes, "note"))
	if err != nil || c.Faults == 0 {
		return err
	}
	return fmt.Errorf("check lake %s: %s", l.config.Lake, count(c.Faults, "fault"))
}
