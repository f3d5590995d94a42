package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"strandline/ingest"
	"strandline/internal/config"
	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// planningKinds are jobs whose partitions are planned: what each is declared by.
var planningKinds = []struct{ name, declares string }{
	{"hourly", "from: hours\n    partition: hour"},
	{"quarterly", "from: quarters\n    partition: 15m"},
	{"zoned", "from: hours\n    partition: hour\n    timezone: Europe/Berlin"},
	{"chained", "from: hourly_fresh\n    partition: hour"},
}

// planningStates are how all partitions of a job stand, and what asks for them.
var planningStates = []struct {
	name string
	asks []string
}{
	{"missing", []string{"--missing"}},
	{"stale", []string{"--stale"}},
	{"fresh", []string{"--recompute", "--from", "1971", "--to", "2071"}},
}

// planning measures what the program takes to plan very many partitions, beside a
// hundredth of them.
func (b bench) planning() error {
	sizes := []int{b.planned / smaller, b.planned}
	for _, n := range sizes {
		if _, err := b.child(2, "make planning", strconv.Itoa(n)); err != nil {
			return err
		}
	}
	t := newTable(fmt.Sprintf("%d partitions to plan, all alike, and a hundredth of them", b.planned),
		"", "partitions", "small: wall s", "CPU s", "peak MiB", "large: wall s", "CPU s", "peak MiB", "bytes a partition")
	for _, kind := range planningKinds {
		for _, state := range planningStates {
			job := kind.name + "_" + state.name
			for _, args := range [][]string{{"plan", job}, append([]string{"backfill", job, "--dry-run"}, state.asks...)} {
				if args[0] == "plan" && state.name == "fresh" {
					args = append(args, "--all")
				}
				if err := b.plansAll(t, args, kind.name, state.name, sizes); err != nil {
					return err
				}
			}
		}
	}
	return t.end()
}

// plansAll adds a line of what a command line takes.
func (b bench) plansAll(t table, args []string, kind, state string, sizes []int) error {
	runs := make([]func() (facts, error), len(sizes))
	for i, n := range sizes {
		runs[i] = func() (facts, error) { return b.command(b.planningDir(strconv.Itoa(n)), args) }
	}
	f, err := inTurn(3, runs...)
	if err != nil {
		return err
	}
	small, large := f[0].total(), f[1].total()
	t.row(args[0]+", "+kind, "all "+state, seconds(small.Wall), seconds(small.CPU), mib(f[0].peak), seconds(large.Wall), seconds(large.CPU), mib(f[1].peak),
		strconv.FormatInt((f[1].peak-f[0].peak)/int64(sizes[1]-sizes[0]), 10))
	return nil
}

func (b bench) planningDir(partitions string) string {
	return filepath.Join(b.dir, "planning-"+partitions)
}

// planningConfig declares the streams and jobs. The old code of those that are to be
// stale is another.
func planningConfig(old bool) string {
	text := "lake: ./lake\nstreams:\n"
	for _, stream := range []string{"hours", "quarters"} {
		text += "  " + stream + ":\n    format: ndjson\n    event_time: {column: at, unit: ms}\n    columns: {n: BIGINT}\n"
	}
	text += "jobs:\n"
	for _, kind := range planningKinds {
		for _, state := range planningStates {
			having := ""
			if old && state.name == "stale" {
				having = " HAVING count(*) > 0"
			}
			from := "hours"
			switch kind.name {
			case "quarterly":
				from = "quarters"
			case "chained":
				from = "hourly_fresh"
			}
			text += fmt.Sprintf("  %s_%s:\n    %s\n    window: {tumbling: 15m}\n    key: [window_start]\n    sql: SELECT window_start, sum(n)::BIGINT AS n FROM %s GROUP BY window_start%s\n",
				kind.name, state.name, kind.declares, from, having)
		}
	}
	return text
}

// planningArrivals is how many arrivals the rows land by, and planningEdit how many
// partitions are published by an edit.
const (
	planningArrivals = 1000
	planningEdit     = 1000
)

// makePlanning makes the lake of args[0] partitions a job, unless it is there: without
// data files of its tables.
func (b bench) makePlanning(ctx context.Context, args []string) (f facts, err error) {
	dir := b.planningDir(args[0])
	if _, err := os.Stat(dir); err == nil {
		return f, nil
	}
	partitions, err := strconv.Atoi(args[0])
	if err != nil {
		return f, err
	}
	if err := os.MkdirAll(dir+".new/lake", 0o777); err != nil {
		return f, err
	}
	store, err := objstore.OpenFolder(dir + ".new/lake")
	if err != nil {
		return f, err
	}
	scratch, err := os.MkdirTemp(b.dir, "scratch-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	path := filepath.Join(dir+".new", "strandline.yaml")
	if err := os.WriteFile(path, []byte(planningConfig(true)), 0o666); err != nil {
		return f, err
	}
	if err := makePlanned(ctx, store, path, scratch, partitions); err != nil {
		return f, err
	}
	if err := os.WriteFile(path, []byte(planningConfig(false)), 0o666); err != nil {
		return f, err
	}
	return f, os.Rename(dir+".new", dir)
}

// makePlanned lands the rows and publishes the jobs that are to be stale or fresh, by
// their old code, which of the latter is that of now.
func makePlanned(ctx context.Context, store *objstore.Folder, path, scratch string, partitions int) (err error) {
	cfg, err := config.Load(path, os.LookupEnv)
	if err != nil {
		return err
	}
	engine, err := duck.Open(ctx, duck.Options{Scratch: scratch})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	inputs, shapes := map[string]runner.Input{}, map[string]window.Shape{}
	for _, s := range cfg.Streams {
		stream := landing.Open(store, s.Spec, landing.Options{Scratch: scratch})
		inputs[s.Name], shapes[s.Name] = runner.Input{Stream: stream}, window.StreamShape(s.Spec)
		hours := map[string]int{"hours": partitions, "quarters": partitions / 4}[s.Name]
		if err := landHours(ctx, stream, hours); err != nil {
			return err
		}
	}
	on := runner.Lake{Store: store, Engine: engine, Files: localfile.New(store, scratch, localfile.DefaultMaxBytes), Scratch: scratch}
	for _, job := range cfg.Jobs {
		in := job.Inputs[0]
		compiled, err := window.Compile(ctx, engine, job.Job, shapes[in.Name])
		if err != nil {
			return err
		}
		table := manifests.Open(store, job.Name, manifests.Options{Writer: "bench"})
		inputs[job.Name], shapes[job.Name] = runner.Input{Table: table}, compiled.Shape()
		task := runner.NewTask(on, compiled, []runner.Input{inputs[in.Name]}, table)
		if strings.HasSuffix(job.Name, "_missing") {
			continue
		}
		if err := publishPlanned(ctx, task, table, planningEdit, func(n int, s window.Status, plan window.Plan, _ []datafile.Column) (manifests.Receipt, error) {
			return syntheticReceipt(s, plan, n), nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// landHours lands a row for each of many hours.
func landHours(ctx context.Context, stream *landing.Stream, hours int) error {
	each := max(1, hours/planningArrivals)
	for from := 0; from < hours; from += each {
		var lines bytes.Buffer
		for hour := from; hour < min(hours, from+each); hour++ {
			fmt.Fprintf(&lines, `{"at":%d,"n":%d}`+"\n", firstDay.Add(time.Duration(hour)*time.Hour).UnixMilli(), hour)
		}
		if _, err := ingest.LandReader(ctx, stream, &lines, fmt.Sprint("arrival-", from), ingest.Options{}); err != nil {
			return err
		}
	}
	return nil
}
