package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

func newVerify(a *app) *cobra.Command {
	var v verify
	cmd := &cobra.Command{
		Use:   "verify JOB",
		Short: "Derive receipts again from what landed, another way, and compare",
		Long: `Hold the receipts of published partitions against the lake. For each partition:

  file    its published files are read again: size, SHA-256, rows, row digest
  input   its input digest is derived again from the segments' rows, and the
          segments are held against the landing log
  output  it is computed again at the receipt's own positions, on purpose in
          another way than it was published: rows in another order, files laid
          out otherwise, several engine threads

What that can come to:

  reproduced        all three are as the receipt says
  differs           one is not: the job is not deterministic, or data is corrupt
  open              the receipt holds, for older data, and the partition waits to be closed
  stale             the receipt holds, for older data (all three) or older code
                    (file and input: the code is not here to be run)
  not recomputable  what it was computed from is gone, such as a raw segment; or
                    "raw expired", where that is by the stream's retain: the file
                    is read, and the input is held against what the landing log
                    keeps of it

The exit code is 1 if a partition differs, and also if one is not recomputable,
since then nothing was proved of it, but for those that were to expire. A partition that
was replaced and swept meanwhile is looked at once more, as it stands then. --sample takes
N partitions at random; --seed, as printed, takes the same ones again. Nothing in the lake is changed.`,
		Example: `  strandline verify events_hourly
  strandline verify events_hourly --from 2026-03-01 --to 2026-04-01
  strandline verify events_hourly --sample 20 --json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(cmd, args[0], v) },
	}
	v.span.flags(cmd)
	cmd.Flags().IntVar(&v.sample, "sample", 0, "verify `N` partitions at random; 0 is all")
	cmd.Flags().Uint64Var(&v.seed, "seed", 0, "draw sample and order of rows by this `SEED` instead of a new one")
	cmd.Flags().IntVar(&v.parallel, "parallel", defaultParallel(), "verify `N` partitions at a time")
	return leavesRoom(a, cmd)
}

// verify are the flags of the verify command.
type verify struct {
	span     span
	sample   int
	seed     uint64
	parallel int
}

// span are the flags of a range that need not be given.
type span struct{ from, to string }

func (s *span) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.from, "from", "", "the `BOUND` where the range begins, included")
	cmd.Flags().StringVar(&s.to, "to", "", "the `BOUND` where the range ends, not included")
}

// check says what is wrong with the range, whatever the job.
func (s span) check(cmd *cobra.Command) error {
	if (s.from == "") != (s.to == "") {
		return misused(cmd, "give both ends of the range, as --from A --to B (B is not included), or none")
	}
	return given(cmd, "from", "to")
}

// within returns the range, as a list of one; none where none was given.
func (s span) within(cmd *cobra.Command, job window.Job) ([]window.Interval, error) {
	if s.from == "" {
		return nil, nil
	}
	interval, err := window.ParseRange(s.from, s.to, job.Grain)
	if err != nil {
		return nil, misused(cmd, "%v", err)
	}
	return []window.Interval{interval}, nil
}

// receiptsOf has the receipts chosen of partitions that overlap an interval; of all where there
// is none.
func receiptsOf(within []window.Interval) func(*manifests.Snapshot) []manifests.Receipt {
	if len(within) == 0 {
		return (*manifests.Snapshot).Receipts
	}
	return func(s *manifests.Snapshot) (all []manifests.Receipt) {
		for _, i := range within {
			all = append(all, s.ReceiptsWithin(i.Start, i.End)...)
		}
		return all
	}
}

// proofTask opens a job for a command that computes partitions only to compare
// them: on several engine threads, unlike a driver.
func (a *app) proofTask(cmd *cobra.Command, name string) (*lake, *runner.Task, error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	l.threads = max(2, runtime.NumCPU())
	task, err := l.namedTask(cmd.Context(), name)
	if err == nil {
		err = l.holdsSomething(cmd.Context())
	}
	if err == nil {
		err = l.scratch.Mend()
	}
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return l, task, nil
}

func (l *lake) namedTask(ctx context.Context, name string) (*runner.Task, error) {
	job, err := l.config.Job(name)
	if err != nil {
		return nil, err
	}
	return l.task(ctx, job)
}

func (a *app) verify(cmd *cobra.Command, name string, v verify) (err error) {
	switch {
	case v.parallel < 1:
		return misused(cmd, "--parallel %d: want at least 1", v.parallel)
	case v.sample < 0:
		return misused(cmd, "--sample %d: want 1 or more, or 0 for all", v.sample)
	}
	if err := v.span.check(cmd); err != nil {
		return err
	}
	l, task, err := a.proofTask(cmd, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if !cmd.Flags().Changed("seed") {
		v.seed = rand.Uint64()
	}
	within, err := v.span.within(cmd, task.Job())
	if err != nil {
		return err
	}
	chosen, err := task.Published(cmd.Context(), nil, receiptsOf(within))
	if err != nil {
		return err
	}
	total := len(chosen)
	if v.sample > 0 {
		chosen = runner.Sample(chosen, v.sample, v.seed)
	}
	if !a.json {
		a.print("verify of %s: %d of %s, seed %d\n", name, len(chosen), count(total, "published partition"), v.seed)
	}
	bar := a.progress()
	bar.Start(len(chosen), "partitions")
	results, err := task.Verify(cmd.Context(), chosen, runner.VerifyOptions{
		Parallel: v.parallel, Seed: v.seed,
		Done: func(r runner.Verified) { bar.Step(1, r.Partition.String()) },
	})
	bar.Finish()
	if err != nil {
		return err
	}
	for _, r := range results {
		if err := a.fact(verifiedFact{statusFact(name, r.Status), r.Finding, r.Differences, r.Unproved, v.seed}, "%s\n", describeVerified(r)); err != nil {
			return err
		}
	}
	return a.sumUpVerify(name, results)
}

// verifiedFact is what --json says of a verified partition.
type verifiedFact struct {
	partitionFact
	Finding     runner.Finding      `json:"finding"`
	Differences []runner.Difference `json:"differences,omitempty"`
	Unproved    string              `json:"unproved,omitempty"`
	Seed        uint64              `json:"seed"`
}

func describeVerified(r runner.Verified) string {
	text := fmt.Sprintf("  %-13s  %-16s  %s", r.Partition, r.Finding, rowsOf(*r.Receipt))
	if reason := r.Reason(); reason != "" {
		text += "  " + reason
	}
	if r.Finding == runner.Stale && r.StaleCode {
		text += " (file and input hold)"
	}
	for _, d := range r.Differences {
		text += fmt.Sprintf("\n    %-6s  %s", d.What, d.Text)
	}
	if r.Unproved != "" {
		text += "\n    unproved: " + r.Unproved
	}
	return text
}

// sumUpVerify ends the report, with the error that sets the exit code.
func (a *app) sumUpVerify(name string, results []runner.Verified) error {
	n := map[runner.Finding]int{}
	var bad []string
	for _, r := range results {
		n[r.Finding]++
		if r.Finding == runner.Differs || r.Finding == runner.NotRecomputable {
			bad = append(bad, r.Partition.String())
		}
	}
	if !a.json {
		others := ""
		for _, f := range []runner.Finding{runner.Open, runner.RawExpired} {
			if n[f] > 0 {
				others += fmt.Sprintf(", %d %s", n[f], f)
			}
		}
		a.print("verify of %s: %s, %d reproduced, %d stale, %d differ, %d not recomputable%s\n", name, count(len(results), "partition"),
			n[runner.Reproduced], n[runner.Stale], n[runner.Differs], n[runner.NotRecomputable], others)
	}
	var parts []string
	if n[runner.Differs] > 0 {
		parts = append(parts, fmt.Sprintf("%s: non-deterministic or corrupt", wording(n[runner.Differs], "differs", "differ")))
	}
	if n[runner.NotRecomputable] > 0 {
		parts = append(parts, fmt.Sprintf("%s not recomputable, so nothing was proved of %s", wording(n[runner.NotRecomputable], "is", "are"), pronoun(n[runner.NotRecomputable])))
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("verify of job %s: of %s, %s; the first is %s%s", name, count(len(results), "partition"), strings.Join(parts, " and "), bad[0], mending(name, results))
}

// mending says what can be done about partitions that differ.
func mending(table string, results []runner.Verified) string {
	differ := slices.DeleteFunc(slices.Clone(results), func(r runner.Verified) bool { return r.Finding != runner.Differs })
	if len(differ) == 0 {
		return ""
	}
	advice := ""
	lasting := slices.DeleteFunc(slices.Clone(differ), func(r runner.Verified) bool { return r.Recomputable() })
	if len(lasting) < len(differ) {
		advice += "; a published file that was lost or damaged is written again by a backfill with --recompute"
	}
	if len(lasting) > 0 {
		advice += fmt.Sprintf("; raw rows of %s have expired, so it is not computed again: %s", lasting[0].Partition, window.Restoring(table))
	}
	return advice + "; a segment or a log is restored from a copy"
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func wording(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
