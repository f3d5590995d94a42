package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
)

// scaleCase is one thing that is done to both lakes, rounds times.
type scaleCase struct {
	text   string
	rounds int
	run    func(b bench, segments string) (facts, error)
}

var scaleCases = []scaleCase{
	{"open both logs", 9, inChild("scale open")},
	{"land 1000 arrivals", 3, inChild("scale land")},
	{"publish 1000 edits", 3, inChild("scale publish")},
	{"strandline plan", 9, command("plan")},
	{"strandline status", 9, command("status")},
	{"backfill of one partition, --dry-run", 9, command("backfill", "sales_quarterly", "--partition", "2026-03-01T00", "--recompute", "--dry-run")},
	{"strandline query --print-views", 9, command("query", "--print-views")},
}

func inChild(name string) func(bench, string) (facts, error) {
	return func(b bench, segments string) (facts, error) { return b.child(2, name, segments) }
}

// command runs the program itself on a lake of that many segments.
func command(args ...string) func(bench, string) (facts, error) {
	return func(b bench, segments string) (facts, error) { return b.command(b.scaleDir(segments), args) }
}

func (b bench) command(dir string, args []string) (f facts, err error) {
	program, err := filepath.Abs(b.program)
	if err != nil {
		return facts{}, err
	}
	// Into a file, as --help has it: what takes a pipe's bytes out would be measured as well.
	out, err := os.CreateTemp(b.dir, "out-")
	if err != nil {
		return facts{}, err
	}
	defer func() { err = errors.Join(err, out.Close(), os.Remove(out.Name())) }()
	start := time.Now()
	state, err := runInto(out, program, append([]string{"--config", filepath.Join(dir, "strandline.yaml")}, args...))
	if err != nil {
		return facts{}, fmt.Errorf("strandline %v: %w (build it: make build)", args, err)
	}
	p := phase{Wall: time.Since(start), CPU: state.UserTime() + state.SystemTime()}
	f = facts{Phases: map[string]phase{"command": p}}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		f.peak = usage.Maxrss * maxrssUnit
	}
	return f, nil
}

// scaleOpen reads both logs, at the same time as commands do, in a process that has just
// started.
func (b bench) scaleOpen(ctx context.Context, args []string) (facts, error) {
	return b.onScale(ctx, args[0], func(_ *runner.Task, stream *landing.Stream, table *manifests.Table) error {
		var both errgroup.Group
		both.Go(func() error { return stream.Refresh(ctx) })
		both.Go(func() error {
			_, err := table.Snapshot(ctx)
			return err
		})
		return both.Wait()
	}, nil)
}

// commits is how many commits are measured: of each lake's checkpoints a fair share
// is among them.
const commits = 1000

// scaleLand lands arrivals, checkpoints included.
func (b bench) scaleLand(ctx context.Context, args []string) (facts, error) {
	segments, err := strconv.Atoi(args[0])
	if err != nil {
		return facts{}, err
	}
	return b.onScale(ctx, args[0], func(_ *runner.Task, stream *landing.Stream, _ *manifests.Table) error {
		for i := range commits {
			n := segments + perCheckpoint + i
			if _, err := landRows(ctx, stream, n, hourOf(n)); err != nil {
				return err
			}
		}
		return nil
	}, func(_ *runner.Task, stream *landing.Stream, _ *manifests.Table) error { return stream.Refresh(ctx) })
}

// scalePublish publishes edits of one partition each, checkpoints included.
func (b bench) scalePublish(ctx context.Context, args []string) (facts, error) {
	var generation uint64
	var stands []manifests.Receipt
	return b.onScale(ctx, args[0], func(_ *runner.Task, _ *landing.Stream, table *manifests.Table) error {
		for i := range commits {
			r := stands[len(stands)-1-i%min(len(stands), 10)]
			r.Rows = int64(1000 + i)
			r.Positions = manifests.Positions{salesSpec.Stream: r.Positions[salesSpec.Stream] + int64(i)}
			r.InputDigest[0] ^= byte(1 + i%255)
			r.InputDigest[1] ^= byte(1 + i/255)
			outcome, err := table.Publish(ctx, manifests.Proposal{Driver: manifests.DriverStream, Generation: generation, Receipts: []manifests.Receipt{r}})
			if err == nil && outcome.Version == 0 {
				err = fmt.Errorf("edit %d was %v", i, outcome.Verdicts)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, func(task *runner.Task, _ *landing.Stream, table *manifests.Table) error {
		snapshot, err := table.Snapshot(ctx)
		if err != nil {
			return err
		}
		stands = snapshot.Receipts()
		generation = snapshot.Definition.Generation
		return nil
	})
}

// onScale measures do, after prepare, on a copy of a lake.
func (b bench) onScale(ctx context.Context, segments string, do, prepare func(*runner.Task, *landing.Stream, *manifests.Table) error) (f facts, err error) {
	dir, err := os.MkdirTemp(b.dir, "copy-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := linkTree(filepath.Join(b.scaleDir(segments), "lake"), dir); err != nil {
		return f, err
	}
	folder, err := objstore.OpenFolder(dir)
	if err != nil {
		return f, err
	}
	store := objstore.NewFault(folder, func(objstore.Op, string) objstore.Action { return objstore.Pass })
	return f, b.openPlan(ctx, store, deduped, func(task *runner.Task, stream *landing.Stream, table *manifests.Table) error {
		if prepare != nil {
			if err := prepare(task, stream, table); err != nil {
				return err
			}
		}
		before := callsOf(store)
		p, err := measure(func() error { return do(task, stream, table) })
		f = facts{Phases: map[string]phase{"all": p}, Calls: map[string]int{"all": callsOf(store) - before}}
		return err
	})
}

func callsOf(store *objstore.Fault) int {
	return readsOf(store) + store.Calls(objstore.OpList) + store.Calls(objstore.OpCreate) + store.Calls(objstore.OpUpload) + store.Calls(objstore.OpDelete)
}

// linkTree makes the folder to hold what from holds. Objects never change, so a link
// is as good as a copy.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		}
		return os.Link(path, filepath.Join(to, name))
	})
}
