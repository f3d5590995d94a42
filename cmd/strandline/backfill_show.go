package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
)

func newShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show REQUEST",
		Short: "Tell all about one request: its slices, who works on them, and what failed",
		Long: `Tell all about one request: how far it is, its slices, the workers that hold some and
their latest sign of life, and the partitions that failed or are held, with the reasons.
Of one that is done it tells what was so then, and what failed or is held since. Of others that
have ended it tells what is so now, since the table goes on.
Of one on Kubernetes it tells what the cluster says of its Job and pods, and where that differs
from what the lake says, with the command that mends it; that it can't be reached is told, and
is no failure.

A sign of life is an entry of the log of requests. A worker that gives none for its lease
loses its slices to others; that is judged by those who wait, and not by any clock shown.`,
		Example: `  strandline backfill show 3f2a9c41`,
		Args:    takes(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.showRequest(cmd.Context(), args[0]) },
	}
}

// shownFact is a request as show tells of it.
type shownFact struct {
	requestFact
	Workers  []workerFact        `json:"workers"`
	Tries    map[int]int         `json:"tries,omitempty"` // by slice, how often it was given back for trouble
	Troubles []requests.Trouble  `json:"troubles"`
	Failures []requests.Failure  `json:"failures"`
	Later    []requests.Failure  `json:"failures_since,omitempty"` // of one that is done: what has failed or is held since
	Engine   *engineFact         `json:"engine,omitempty"`         // of one that the workers of the lake leave to another, if that could be asked
	Read     manifests.Positions `json:"positions"`
}

// workerFact is a worker that holds slices of a request.
type workerFact struct {
	Worker string    `json:"worker"`
	Slices []int     `json:"slices"`
	Entry  uint64    `json:"sign_entry"` // the number of its latest entry in the log of requests
	At     time.Time `json:"sign_at"`    // when that was made, by its own clock
	Lease  float64   `json:"lease_seconds"`
}

func (a *app) showRequest(ctx context.Context, id string) (err error) {
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	r, err := l.requests.Find(ctx, id)
	if err != nil {
		return err
	}
	r, seen, err := l.lookout(a.note).look(ctx, r)
	if err != nil && !isDamage(err) {
		return err
	}
	f := shownFact{Engine: engineFactOf(seen), Tries: r.Tries, Troubles: slices.Concat([]requests.Trouble{}, r.Troubles), Workers: l.workersOf(r), Failures: slices.Concat([]requests.Failure{}, r.Failures)}
	f.requestFact, err = l.requestFact(ctx, r)
	f.see(seen)
	if err == nil {
		f.Failures, f.Read, err = l.failuresOf(ctx, r)
	}
	f.settle(r)
	if err != nil && !isDamage(err) {
		return err
	}
	if a.json {
		return errors.Join(err, writeJSON(a.out, f))
	}
	a.shown(f)
	return err // what is damaged of it
}

// settle keeps apart what was true when the request ended from what is so now: one that is done
// has no failures, and where the table has other code it tells of those of that.
func (f *shownFact) settle(r *requests.Request) {
	switch {
	case f.State == requests.Done:
		f.Failures, f.Later = []requests.Failure{}, f.Failures
	case f.Replaced:
		f.Failures = slices.Concat([]requests.Failure{}, r.Failures)
	}
}

// shown prints a request for a person.
func (a *app) shown(f shownFact) {
	a.print("request %s\n%s%s\n", f.Request, f.standing(f.asker(true)), f.why(math.MaxInt))
	a.print("slices: %d, %d at a time: %d run, %d of them with failures, %d claimed\n", f.Slices, f.Parallel, f.Run, f.Failed, f.Claimed)
	if f.Engine != nil {
		a.print("%s\n", visible(f.Engine.line(f.On)))
	}
	for _, w := range f.Workers {
		a.print("worker %s has slices %v; its last sign is entry %d, at %s by its clock, and holds for %gs\n",
			printable(w.Worker), w.Slices, w.Entry, w.At.Format(time.RFC3339), w.Lease)
	}
	for _, t := range f.Troubles {
		a.print("%s\n", troubleOf(t))
	}
	a.failures("", f.Failures)
	a.failures("since then ", f.Later)
}

// troubleOf tells what kept slices from being run to their end, as often as it came.
func troubleOf(t requests.Trouble) string {
	text := fmt.Sprintf("slices were given back %s, the last at %s by %s", count(t.Times, "time"), t.Last.UTC().Format(time.RFC3339), t.By)
	if t.Times > 1 {
		text = fmt.Sprintf("slices were given back %s from %s on, the last at %s by %s", count(t.Times, "time"), t.First.UTC().Format(time.RFC3339), t.Last.UTC().Format(time.RFC3339), t.By)
	}
	return visible(text + someOf(t.GivenUp, "given up") + ": " + t.Reason)
}

// failures prints why partitions failed or are held, each reason once, and since when that is so.
func (a *app) failures(when string, all []requests.Failure) {
	of := map[string][]string{}
	var reasons []string
	for _, failure := range all {
		partitions, known := of[failure.Reason]
		if !known {
			reasons = append(reasons, failure.Reason)
		}
		if failure.Partition != "" {
			partitions = append(partitions, failure.Partition)
		}
		of[failure.Reason] = partitions
	}
	for _, reason := range reasons {
		if partitions := strings.Join(of[reason], ", "); partitions != "" {
			a.print("%s%s: ", when, partitions)
		}
		a.print("%s\n", visible(reason))
	}
}

// workersOf are the workers that hold slices of a request, in order of their names.
func (l *lake) workersOf(r *requests.Request) (all []workerFact) {
	all = []workerFact{}
	held := map[string][]int{}
	for slice, c := range r.Claims {
		held[c.Worker] = append(held[c.Worker], slice)
	}
	for worker, has := range held {
		slices.Sort(has)
		w := workerFact{Worker: worker, Slices: has}
		l.requests.View(func(s *requests.State) {
			if sign, holds := s.Sign(worker); holds {
				w.Entry, w.At, w.Lease = sign.Entry, sign.At, sign.Lease().Seconds()
			}
		})
		all = append(all, w)
	}
	slices.SortFunc(all, func(x, y workerFact) int { return cmp.Compare(x.Worker, y.Worker) })
	return all
}

// failuresOf are the failed and held partitions of a request's plan, by the table, and what
// only the workers knew of: such as those that failed for want of memory. And the positions
// that the plan reads up to.
func (l *lake) failuresOf(ctx context.Context, r *requests.Request) ([]requests.Failure, manifests.Positions, error) {
	all := []requests.Failure{}
	file, table, err := l.planAndTable(ctx, r)
	if errors.Is(err, plans.ErrNoPlan) && r.Ended() {
		return append(all, r.Failures...), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	told := map[string]bool{}
	for _, task := range file.Tasks {
		reason := ""
		switch file.StateOf(task, table) {
		case plans.Failed:
			failure, _ := table.Failed(task.Partition)
			reason = failure.Reason
		case plans.Held:
			reason = "held: strandline held tells why"
		case plans.Done:
			told[task.Partition] = true // whatever a worker said, it was published since
		}
		if reason != "" {
			all, told[task.Partition] = append(all, requests.Failure{Partition: task.Partition, Reason: reason}), true
		}
	}
	for _, f := range r.Failures {
		if !told[f.Partition] {
			all = append(all, f)
		}
	}
	return all, file.Read, nil
}
