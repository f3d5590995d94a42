// Command bench measures Strandline against what it is built on, as ratios of
// one run on one machine: see README.md beside it.
//
// Every case runs in a process of its own, whose peak of memory is that case's.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// bench is what all cases share: where the data is, and how much of it.
type bench struct {
	dir      string
	rows     int // of the largest recompute, and half of it is landed
	hours    int // partitions of the planned table
	segments int // of the large lake
	planned  int // partitions of the lake whose planning is measured
	seconds  int // of a stream that lands each second
	program  string
	profile  string
}

func main() {
	var b bench
	flag.StringVar(&b.dir, "dir", filepath.Join(".cache", "bench"), "folder for data, kept for the next run")
	flag.IntVar(&b.rows, "rows", 2_000_000, "rows of the largest recompute; half as many are landed")
	flag.IntVar(&b.hours, "partitions", 10_000, "partitions to plan")
	flag.IntVar(&b.segments, "segments", 100_000, "segments that the large lake has landed; 1000000 is the full size")
	flag.IntVar(&b.planned, "planned", 100_000, "partitions of each job that the program plans, as a person would ask")
	flag.IntVar(&b.seconds, "seconds", 3600, "seconds of a stream that lands once a second; 86400 is a day")
	flag.StringVar(&b.program, "program", filepath.Join("bin", "strandline"), "the program whose commands are measured")
	flag.StringVar(&b.profile, "profile", "", "with -case: write a processor profile to this file")
	one := flag.String("case", "", "run this case alone, in this process, and print its facts")
	only := flag.String("only", "", "measure only this part: landings, posts, recomputes, outputs, plans, planning, scale, day or live; or what is not measured otherwise: memory of posts for ten minutes; or profile, which renews the profile that the program is built by")
	flag.Parse()
	if err := b.run(context.Background(), *one, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b bench) run(ctx context.Context, one, only string, args []string) error {
	var err error
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	switch {
	case one != "":
		return b.one(ctx, one, args)
	case only == "profile":
		return b.profileAll()
	case only == "memory":
		return b.memory()
	}
	fmt.Printf("%d cores, %s, %d rows, %d partitions\n", runtime.NumCPU(), runtime.Version(), b.rows, b.hours)
	parts := map[string]func() error{"landings": b.landings, "posts": b.posts, "recomputes": b.recomputes, "outputs": b.outputs, "plans": b.plans, "planning": b.planning, "scale": b.scale, "day": b.day, "live": b.live}
	if only != "" && parts[only] == nil {
		return fmt.Errorf("there is no part %q", only)
	}
	for _, name := range []string{"landings", "posts", "recomputes", "outputs", "plans", "planning", "scale", "day", "live"} {
		if only != "" && only != name {
			continue
		}
		if err := parts[name](); err != nil {
			return err
		}
	}
	return nil
}

// facts are what a case tells of itself.
type facts struct {
	Rows, Bytes int64
	Phases      map[string]phase
	Calls       map[string]int // of the store
	peak        int64          // bytes, of the whole process
}

// total adds the phases up.
func (f facts) total() (t phase) {
	for _, p := range f.Phases {
		t.Wall += p.Wall
		t.CPU += p.CPU
	}
	return t
}

// cases are what -case can name. Each gets the arguments after it.
var cases = map[string]func(bench, context.Context, []string) (facts, error){
	"make events":      bench.makeEvents,
	"make lake":        bench.makeLake,
	"land":             bench.land,
	"land duckdb":      bench.landDuckDB,
	"post":             bench.post,
	"post append":      bench.postAppend,
	"recompute":        bench.recompute,
	"recompute duckdb": bench.recomputeDuckDB,
	"write output":     bench.writeOutput,
	"read output":      bench.readOutput,
	"make plan":        bench.makePlan,
	"plan":             bench.plan,
	"plan list":        bench.planByListing,
	"plan footers":     bench.planByFooters,
	"make planning":    bench.makePlanning,
	"make scale":       bench.makeScale,
	"scale open":       bench.scaleOpen,
	"scale land":       bench.scaleLand,
	"scale publish":    bench.scalePublish,
	"day":              bench.landAllDay,
}

func (b bench) one(ctx context.Context, name string, args []string) error {
	run, ok := cases[name]
	if !ok {
		return fmt.Errorf("there is no case %q", name)
	}
	stop, err := startProfile(b.profile)
	if err != nil {
		return err
	}
	f, err := run(b, ctx, args)
	if err := errors.Join(err, stop()); err != nil {
		return fmt.Errorf("%s %v: %w", name, args, err)
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// child runs a case in a process of its own, with that many threads for Go
// code.
func (b bench) child(threads int, name string, args ...string) (facts, error) {
	self, err := os.Executable()
	if err != nil {
		return facts{}, err
	}
	flags := []string{"-dir", b.dir, "-rows", strconv.Itoa(b.rows), "-partitions", strconv.Itoa(b.hours), "-segments", strconv.Itoa(b.segments), "-profile", b.profile, "-case", name}
	out, state, err := runProcess(self, append(flags, args...), "GOMAXPROCS="+strconv.Itoa(threads))
	if err != nil {
		return facts{}, fmt.Errorf("%s %v: %w", name, args, err)
	}
	var f facts
	if err := json.Unmarshal(out, &f); err != nil {
		return facts{}, fmt.Errorf("%s %v: %w", name, args, err)
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		f.peak = usage.Maxrss * maxrssUnit
	}
	return f, nil
}

// best runs a case three times and returns the run that used the processor least.
func (b bench) best(threads int, name string, args ...string) (facts, error) {
	best, err := inTurn(3, b.inChild(threads, name, args...))
	if err != nil {
		return facts{}, err
	}
	return best[0], nil
}

func (b bench) inChild(threads int, name string, args ...string) func() (facts, error) {
	return func() (facts, error) { return b.child(threads, name, args...) }
}

// inTurn runs what is held against each other one after another, that many times, so that
// a machine that is slower for a while is so for all of them. It returns the run of each
// that used the processor least: on a machine shared with others, the one least disturbed.
func inTurn(rounds int, runs ...func() (facts, error)) ([]facts, error) {
	best := make([]facts, len(runs))
	for round := range rounds {
		for i, run := range runs {
			f, err := run()
			if err != nil {
				return nil, err
			}
			if round == 0 || f.total().CPU < best[i].total().CPU {
				best[i] = f
			}
		}
	}
	return best, nil
}
