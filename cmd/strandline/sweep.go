package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/sweep"
)

// defaultGrace is how old a file is at least that a sweep removes, where nobody says.
const defaultGrace = 24 * time.Hour

func newSweep(a *app) *cobra.Command {
	var dryRun bool
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Remove files that nothing names, and versions and raw rows that are not kept",
		Long: `Remove from the lake what nobody needs any more: files that no log names, left by
attempts that were broken off and by merges; and versions of tables
that "retention" in strandline.yaml does not keep, with the files that were theirs
alone. Where it says nothing, every version is kept. Before that, raw rows expire as
"retain" of their stream says, but for those that a declared job still needs. Of
logs go the entries and checkpoints that no kept version is read from.

Files are condemned in the log of their stream or table first, and only then
removed; whoever would publish a condemned file is refused and makes it again. So a
sweep is safe beside anything that runs, however slow, and may be stopped at any
time: the next one goes on with it.

What is younger than --grace stays, so that nothing that is being made now has to be
made again; and so do versions that were the newest within it, so that whoever reads
them can go on. What Strandline did not write is foreign: it is named and
never touched. Every stream and table that has a log in the lake is swept,
whether strandline.yaml declares it or not.`,
		Example: `  strandline sweep --dry-run
  strandline sweep --dry-run --json    one object a file, and one a stream or table
  strandline sweep --grace 2h`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if grace < 0 {
				return misused(cmd, "--grace %v: want 0s or more", grace)
			}
			return a.sweep(cmd.Context(), grace, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be removed, and do nothing")
	cmd.Flags().DurationVar(&grace, "grace", defaultGrace, "leave what is younger than `DURATION`")
	return cmd
}

func (a *app) sweep(ctx context.Context, grace time.Duration, dryRun bool) (err error) {
	open := a.writeLake
	if dryRun {
		open = a.readLake
	}
	l, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var printing error
	expiring := l.expireRaw(ctx, l.allTasks, dryRun, func(f expiryFact) error { return a.fact(f, "%s\n", f.describe()) })
	report, err := l.sweep(ctx, sweep.Options{Grace: grace, DryRun: dryRun, Tell: func(f sweep.Found) {
		printing = errors.Join(printing, a.tellOf(f))
	}})
	for _, part := range report.Parts {
		printing = errors.Join(printing, a.fact(part, "%s\n", describePart(part, dryRun)))
	}
	if n := report.Proofs.Objects; n > 0 && !a.json {
		a.print("%s of the store's proofs %s\n", count(int(n), "object"), removed(dryRun))
	}
	return errors.Join(expiring, err, printing)
}

// sweep sweeps the lake. What o says of retention is that of the configuration.
func (l *lake) sweep(ctx context.Context, o sweep.Options) (sweep.Report, error) {
	o.Writer, o.Retention = writerName(), l.retention
	return sweep.Run(ctx, l.store, o)
}

// retention says which versions of a table are kept: all of one that is not declared.
func (l *lake) retention(table string) manifests.Retention {
	for _, job := range l.config.Jobs {
		if job.Name == table {
			return job.Retention
		}
	}
	return manifests.Retention{}
}

// tellOf prints a file that goes, for programs, or one that is foreign.
func (a *app) tellOf(f sweep.Found) error {
	if f.Verdict != sweep.Foreign && !a.json {
		return nil // there may be a million of them
	}
	return a.fact(f, "%s: %s, and not touched\n", printable(f.Key), f.Verdict)
}

func removed(dryRun bool) string {
	if dryRun {
		return "would be removed"
	}
	return "removed"
}

func describePart(p sweep.Part, dryRun bool) string {
	text := []string{fmt.Sprintf("%s %s: %s %s", p.Area.Noun(), p.Name, describeFiles(p.Swept), removed(dryRun))}
	if p.Expired > 0 {
		text = append(text, fmt.Sprintf("%s expired, from %d on they are kept", count(int(p.Expired), "version"), p.Oldest))
	}
	if n := p.Trimmed.Objects; n > 0 {
		text = append(text, fmt.Sprintf("%s of its log %s", count(int(n), "object"), removed(dryRun)))
	}
	text = append(text, fmt.Sprintf("%s named", describeFiles(p.Named)))
	if p.Young.Objects > 0 {
		text = append(text, fmt.Sprintf("%s too young", describeFiles(p.Young)))
	}
	if p.Trouble != "" {
		text = append(text, "left there: "+p.Trouble)
	}
	return strings.Join(text, "; ")
}

func describeFiles(t sweep.Tally) string {
	if t.Objects == 0 {
		return "no file"
	}
	return fmt.Sprintf("%s of %s", count(int(t.Objects), "file"), count(int(t.Bytes), "byte"))
}
