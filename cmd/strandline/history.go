package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/manifests"
)

// defaultVersions is how many versions a person is shown who does not say.
const defaultVersions = 50

func newHistory(a *app) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "history TABLE",
		Short: "List a table's versions: who changed which partitions, and when",
		Long: `List a table's versions, newest first, but for those that a sweep has expired.
Each is one edit: the partitions it replaced, those that failed, the code that a
process registered, what a person released, dropped or rolled back, or what was swept; by which driver and process. "strandline query --at VERSION" reads the table as it was.

They are read as they are printed, so that the first come at once from any table. Without
--limit, the newest 50 are shown, and with --json all.`,
		Example: `  strandline history events_hourly
  strandline history events_hourly --limit 5
  strandline history events_hourly --json    one object an edit, with its receipts`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return misused(cmd, "--limit %d: want 1 or more, or 0 for all", limit)
			}
			if a.json && !cmd.Flags().Changed("limit") {
				limit = 0
			}
			return a.history(cmd, args[0], limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", defaultVersions, "show the newest `N` versions, 0 for all; with --json all are the default")
	return cmd
}

// history prints the newest versions of a table, at most limit of them if that is not 0.
func (a *app) history(cmd *cobra.Command, name string, limit int) (err error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err := l.config.Job(name); err != nil {
		return err
	}
	shown := 0
	for c, err := range l.tables[name].Changes(cmd.Context()) {
		if err != nil {
			return err
		}
		if limit > 0 && shown == limit {
			if !a.json {
				a.print("   …  version %d and older are not shown: --limit 0 shows all\n", c.Version)
			}
			return nil
		}
		if err := a.fact(c, "%4d  %s  %-8s  %s\n", c.Version, c.At.Format(time.RFC3339), c.Driver, describeChange(c)); err != nil {
			return err
		}
		shown++
	}
	if shown == 0 {
		a.note("table %s has no version yet: nothing was published to it", name)
	}
	return nil
}

func describeChange(c manifests.Change) string {
	var parts []string
	if c.Define != nil {
		parts = append(parts, fmt.Sprintf("generation %d of the job, code %s", c.Define.Generation, c.Define.Fingerprint.Short()))
	}
	if len(c.Receipts) > 0 {
		parts = append(parts, fmt.Sprintf("%s%s: %s", count(len(c.Receipts), "partition"), madeBy(c), some(c.Receipts, func(r manifests.Receipt) string {
			return fmt.Sprintf("%s (%s)", r.Partition, count(int(r.Rows), "row"))
		})))
	}
	parts = append(parts, describeFailures(c.Failures)...)
	if len(c.Repaired) > 0 {
		parts = append(parts, fmt.Sprintf("files written again, %s: %s", count(len(c.Repaired), "partition"), some(c.Repaired, func(r manifests.Receipt) string { return r.Partition })))
	}
	if c.Rollback != nil {
		parts = append(parts, fmt.Sprintf("rolled back to version %d, removing %s", c.Rollback.To, count(len(c.Rollback.Removed), "partition")))
	}
	if len(c.Held) > 0 {
		parts = append(parts, fmt.Sprintf("%s held: %s", count(len(c.Held), "partition"), some(c.Held, func(h manifests.Candidate) string { return h.Receipt.Partition })))
	}
	for _, partition := range slices.Sorted(maps.Keys(c.Warnings)) {
		parts = append(parts, fmt.Sprintf("warning for %s: %s", partition, strings.Join(c.Warnings[partition], "; ")))
	}
	// Of late rows a release is a result that a person asked for: nobody but a release and a
	// rollback publishes so.
	if len(c.Released) > 0 || c.Driver == manifests.DriverPerson && len(c.Receipts) > 0 && c.Rollback == nil {
		parts = append(parts, "released by a person")
	}
	if len(c.Dropped) > 0 {
		parts = append(parts, "candidate dropped: "+strings.Join(c.Dropped, ", "))
	}
	if len(c.Left) > 0 {
		parts = append(parts, fmt.Sprintf("late rows dropped, %s stays as published: %s", count(len(c.Left), "partition"), some(c.Left, func(l manifests.Late) string { return l.Partition })))
	}
	if c.Condemned != nil {
		parts = append(parts, fmt.Sprintf("%s condemned", count(len(c.Condemned.Files), "file")))
	}
	if c.Oldest > 0 {
		parts = append(parts, fmt.Sprintf("versions before %d expired", c.Oldest))
	}
	return strings.Join(parts, "; ") + "  by " + c.Writer
}

// madeBy says which generation made an edit's results, where there has been more than
// one. What is rolled back to may be of any.
func madeBy(c manifests.Change) string {
	if c.Generation < 2 || c.Rollback != nil {
		return ""
	}
	return fmt.Sprintf(" by generation %d", c.Generation)
}

func describeFailures(failures []manifests.Failure) (parts []string) {
	var failed, refused []manifests.Failure
	for _, f := range failures {
		if f.NonDeterministic {
			refused = append(refused, f)
		} else {
			failed = append(failed, f)
		}
	}
	partition := func(f manifests.Failure) string { return f.Partition }
	if len(failed) > 0 {
		parts = append(parts, fmt.Sprintf("%s failed: %s", count(len(failed), "partition"), some(failed, partition)))
	}
	if len(refused) > 0 {
		parts = append(parts, fmt.Sprintf("%s refused as non-deterministic: %s", count(len(refused), "result"), some(refused, partition)))
	}
	return parts
}

// some lists the first few of many things.
func some[T any](of []T, text func(T) string) string {
	const most = 4
	var parts []string
	for i, x := range of {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(of)-most))
			break
		}
		parts = append(parts, text(x))
	}
	return strings.Join(parts, ", ")
}
