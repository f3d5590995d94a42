package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"strandline/internal/config"
	"strandline/manifests"
	"strandline/runner"
	"strandline/sweep"
	"strandline/window"
)

func newSweep(a *app) *cobra.Command {
	var dryRun bool
	grace := config.DefaultGrace
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Remove files that nothing names, and versions and raw rows that are not kept",
		Long: `Remove from the lake what nobody needs any more: files that no log names, left by
attempts that were broken off and by merges; and versions of tables
that "retention" in strandline.yaml does not keep, with the files that were theirs
alone. Where it says nothing, every version is kept. Before that, raw rows expire as
"retain" of their stream says, but for those that a declared job still needs, and
with them the rejects that came with them, of which those that did not land again are
counted: a dry run tells of them before. Of logs go the entries and checkpoints that no kept version is read from.

Files are condemned in the log of their stream or table first, and only then
removed; whoever would publish a condemned file is refused and makes it again. So a
sweep is safe beside anything that runs, however slow, and may be stopped at any
time: the next one goes on with it.

What is younger than --grace stays, so that nothing that is being made now has to be
made again; and so do versions that were the newest within it, so that whoever reads
them can go on, and those that a submitted backfill reads that has not ended. What Strandline did not write is foreign: it is named and
never touched. A sweep writes a little before it removes anything, so on a full disk
make some megabytes of room first, outside the lake. Every stream and table that has a log in the lake is swept,
whether strandline.yaml declares it or not.

First all tables are held against the landing logs. A stream whose log has lost what
a table was computed from is left as it is, with all tables that read it, since a
restore needs what is there (exit code 4); the others are swept.

With --json, each line is one of these, and none is printed where nothing happens:
  {"key", "bytes", "modified", "verdict"}   a file that goes (unnamed, condemned, proof)
                                            or is foreign
  {"stream", "expired_from", "expired_to", "expired_segments"}   raw rows that expire, by
        position; "expired_pending_rejects" are those that go with them and did not land
        again, and "needed_from" and on say what keeps those that follow
  {"stream" or "table", "removed", "named", "young", "trimmed", …}   what was done to it,
        each of {"objects", "bytes"}; of a table also its "oldest" version, how many
        "expired" and how many are "kept_for_requests"; "trouble" says why it was left as it is
A dry run adds "dry_run": true to the last two.`,
		Example: `  strandline sweep --dry-run
  strandline sweep --dry-run --json    one object a file, and one a stream or table
  strandline sweep --grace 2d`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if grace < 0 {
				return misused(cmd, "--grace %v: want 0s or more", grace)
			}
			return a.sweep(cmd.Context(), grace, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be removed, and do nothing")
	cmd.Flags().Var(durationFlag{&grace}, "grace", "leave what is younger than `DURATION`")
	return cmd
}

func (a *app) sweep(ctx context.Context, grace time.Duration, dryRun bool) (err error) {
	defer func() { err = withoutRoom(err) }()
	l, err := a.openLake(ctx, dryRun, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	tasks, err := l.allTasks(ctx)
	if err != nil {
		return err
	}
	var printing error
	report, err := l.sweep(ctx, tasks, sweep.Options{Grace: grace, DryRun: dryRun, Tell: func(f sweep.Found) {
		printing = errors.Join(printing, a.tellOf(f))
	}}, func(f expiryFact) { printing = errors.Join(printing, a.fact(f, "%s\n", f.describe())) })
	for _, part := range report.Parts {
		printing = errors.Join(printing, a.swept(part, dryRun))
	}
	if n := report.Proofs.Objects; n > 0 && !a.json {
		a.print("%s of the store's proofs %s\n", count(int(n), "object"), removed(dryRun))
	}
	return errors.Join(err, printing)
}

// withoutRoom says what helps where a sweep, which is what makes room, has none to write
// in. What it removes must be in the log first: else others could publish a file that
// goes.
func withoutRoom(err error) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return fmt.Errorf("%w; a sweep writes down what it removes before it does, some megabytes at most: make that room first by removing or moving what is not the lake's, or by a larger disk or quota, and sweep again", err)
}

// sweep sweeps the lake as the configuration says, whose jobs the tasks are of, and
// tells what raw rows expire.
func (l *lake) sweep(ctx context.Context, tasks []*runner.Task, o sweep.Options, expired func(expiryFact)) (sweep.Report, error) {
	o.Writer, o.Retention = writerName(), l.retention
	for _, task := range tasks {
		o.Readers = append(o.Readers, sweep.Reader{Table: task.Job().Name, Inputs: names(task.Job().Inputs, window.Input.At), Check: task.CheckHistory})
	}
	o.Expire = func(ctx context.Context, stream string, now time.Time) ([]string, error) {
		return l.expireRaw(ctx, stream, now, o.DryRun, tasks, expired)
	}
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

// partFact is what --json says of a stream or a table that was swept.
type partFact struct {
	Stream string `json:"stream,omitempty"`
	Table  string `json:"table,omitempty"`
	// Requests: it is those of the lake, and the files are their plans.
	Requests bool `json:"requests,omitempty"`
	sweep.Part
	DryRun bool `json:"dry_run,omitempty"`
}

// swept prints what became of a stream or a table. Programs are not told of those
// that stay as they are and would if no request were.
func (a *app) swept(p sweep.Part, dryRun bool) error {
	if a.json && p.Idle() && p.Asked == 0 {
		return nil
	}
	fact := partFact{Part: p, DryRun: dryRun}
	switch p.Area {
	case sweep.AreaTables:
		fact.Table = p.Name
	case sweep.AreaLanding:
		fact.Stream = p.Name
	default:
		fact.Requests = true
	}
	return a.fact(fact, "%s\n", describePart(p, dryRun))
}

func removed(dryRun bool) string {
	if dryRun {
		return "would be removed"
	}
	return "removed"
}

func describePart(p sweep.Part, dryRun bool) string {
	text := []string{fmt.Sprintf("%s: %s %s", p.Area.Called(p.Name), describeFiles(p.Swept), removed(dryRun))}
	if p.Expired > 0 {
		text = append(text, fmt.Sprintf("%s expired, from %d on they are kept", count(int(p.Expired), "version"), p.Oldest))
	}
	if p.Waiting > 0 {
		text = append(text, fmt.Sprintf("%s more kept until they are %d, since no file goes with them", count(int(p.Waiting), "version"), sweep.Alone))
	}
	if p.Asked > 0 {
		text = append(text, fmt.Sprintf("%s more kept for requests (strandline backfill list)", count(int(p.Asked), "version")))
	}
	if n := p.Trimmed.Objects; n > 0 {
		text = append(text, fmt.Sprintf("%s of its log %s", count(int(n), "object"), removed(dryRun)))
	}
	text = append(text, fmt.Sprintf("%s named", describeFiles(p.Named)))
	if p.Young.Objects > 0 {
		text = append(text, fmt.Sprintf("%s too young", describeFiles(p.Young)))
	}
	if p.Trouble != "" {
		text = append(text, "left as it is: "+p.Trouble)
	}
	return strings.Join(text, "; ")
}

func describeFiles(t sweep.Tally) string {
	if t.Objects == 0 {
		return "no file"
	}
	return fmt.Sprintf("%s of %s", count(int(t.Objects), "file"), count(int(t.Bytes), "byte"))
}
