package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"strandline/compaction"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/sweep"
)

// compactEvery is how often a stream is compacted, as by default.
const compactEvery = 10 * time.Minute

// day tells what a stream leaves in the store, and asks of it, that lands once a
// second.
func (b bench) day() error {
	f, err := b.child(2, "day", strconv.Itoa(b.seconds))
	if err != nil {
		return err
	}
	t := newTable(fmt.Sprintf("%d landings, one a second, compacted every 10 minutes and swept in the end", b.seconds),
		"", "times", "CPU s", "list", "read", "put", "delete", "objects then", "segments then")
	for _, name := range []string{"land", "compact", "sweep", "sweep again"} {
		row := []string{name, strconv.Itoa(f.Calls[name+" times"]), seconds(f.Phases[name].CPU)}
		for _, what := range []string{" list", " read", " put", " delete", " objects", " segments"} {
			row = append(row, strconv.Itoa(f.Calls[name+what]))
		}
		t.row(row...)
	}
	return t.end()
}

// aDay is such a stream, on a clock of its own, and what was counted.
type aDay struct {
	memory *objstore.Memory
	store  *objstore.Fault // counts
	stream *landing.Stream
	files  *localfile.Cache
	now    time.Time
	facts  facts
}

// landAllDay lands for args[0] seconds.
func (b bench) landAllDay(ctx context.Context, args []string) (f facts, err error) {
	landings, err := strconv.Atoi(args[0])
	if err != nil {
		return f, err
	}
	scratch, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	d := aDay{memory: objstore.NewMemory(), facts: facts{Phases: map[string]phase{}, Calls: map[string]int{}}}
	d.store = objstore.NewFault(d.memory, func(objstore.Op, string) objstore.Action { return objstore.Pass })
	d.now = firstDay
	d.stream = landing.Open(d.store, salesSpec, landing.Options{Scratch: scratch, Now: func() time.Time { return d.now }})
	d.files = localfile.New(d.store, scratch, localfile.DefaultMaxBytes)
	const step = int(compactEvery / time.Second)
	for landed := 0; landed < landings; landed += step {
		n := min(step, landings-landed)
		err := errors.Join(d.count("land", n, func() error { return d.land(ctx, landed, n) }), d.left(ctx, "land"),
			d.count("compact", 1, func() error { return d.compact(ctx) }), d.left(ctx, "compact"))
		if err != nil {
			return f, err
		}
	}
	return d.facts, d.sweep(ctx)
}

// land lands n arrivals, a second apart, from the first on.
func (d *aDay) land(ctx context.Context, first, n int) error {
	for i := range n {
		d.now = d.now.Add(time.Second)
		if _, err := landRows(ctx, d.stream, first+i, d.now.Truncate(time.Hour)); err != nil {
			return err
		}
	}
	return nil
}

func (d *aDay) compact(ctx context.Context) error {
	c := compaction.Compactor{Stream: d.stream, Files: d.files, Limits: compaction.DefaultLimits, Vouch: func(context.Context) error { return nil }}
	return c.Run(ctx)
}

// sweep sweeps twice, to see what the first one leaves.
func (d *aDay) sweep(ctx context.Context) error {
	for _, name := range []string{"sweep", "sweep again"} {
		err := d.count(name, 1, func() error {
			_, err := sweep.Run(ctx, d.store, sweep.Options{Writer: "bench"})
			return err
		})
		if err := errors.Join(err, d.left(ctx, name)); err != nil {
			return err
		}
	}
	return nil
}

// count adds up what do costs, which is done so many times, under a name.
func (d *aDay) count(name string, times int, do func() error) error {
	ops := map[string][]objstore.Op{
		" list": {objstore.OpList}, " read": {objstore.OpRead, objstore.OpReadRange, objstore.OpDownload},
		" put": {objstore.OpCreate, objstore.OpUpload}, " delete": {objstore.OpDelete},
	}
	each := func(sign int) {
		for what, list := range ops {
			for _, op := range list {
				d.facts.Calls[name+what] += sign * d.store.Calls(op)
			}
		}
	}
	each(-1)
	p, err := measure(do)
	each(1)
	d.facts.Calls[name+" times"] += times
	total := d.facts.Phases[name]
	d.facts.Phases[name] = phase{Wall: total.Wall + p.Wall, CPU: total.CPU + p.CPU}
	return err
}

// left counts what is there.
func (d *aDay) left(ctx context.Context, name string) error {
	listed, err := d.memory.List(ctx, "", "", 1<<30)
	if err != nil {
		return err
	}
	if err := d.stream.Refresh(ctx); err != nil {
		return err
	}
	d.facts.Calls[name+" objects"] = len(listed)
	d.stream.View(func(s *landing.State) { d.facts.Calls[name+" segments"] = len(s.Segments()) })
	return nil
}
