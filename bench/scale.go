package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
)

// smaller is how many times smaller the lake is that a large one is held against.
const smaller = 100

// scale compares a large lake with one a hundredth of its size.
func (b bench) scale() error {
	sizes := []int{b.segments / smaller, b.segments}
	for _, n := range sizes {
		if _, err := b.child(2, "make scale", strconv.Itoa(n)); err != nil {
			return err
		}
	}
	t := newTable(fmt.Sprintf("A lake of %d segments landed, %d partitions and %d edits, and one of a hundredth", b.segments, b.segments/perHour, b.segments),
		"", "small: wall s", "CPU s", "peak MiB", "large: wall s", "CPU s", "peak MiB", "wall, small = 1", "CPU, small = 1", "store calls", "of the small")
	for _, c := range scaleCases {
		runs := make([]func() (facts, error), len(sizes))
		for i, n := range sizes {
			runs[i] = func() (facts, error) { return c.run(b, strconv.Itoa(n)) }
		}
		f, err := inTurn(c.rounds, runs...)
		if err != nil {
			return err
		}
		small, large := f[0].total(), f[1].total()
		t.row(c.text, seconds(small.Wall), seconds(small.CPU), mib(f[0].peak), seconds(large.Wall), seconds(large.CPU), mib(f[1].peak),
			times(large.Wall, small.Wall), times(large.CPU, small.CPU), strconv.Itoa(f[1].Calls["all"]), strconv.Itoa(f[0].Calls["all"]))
	}
	return t.end()
}

func (b bench) scaleDir(segments string) string { return filepath.Join(b.dir, "scale-"+segments) }

// makeScale makes the lake of args[0] segments, unless it is there.
func (b bench) makeScale(ctx context.Context, args []string) (f facts, err error) {
	dir := b.scaleDir(args[0])
	if _, err := os.Stat(dir); err == nil {
		return f, nil
	}
	segments, err := strconv.Atoi(args[0])
	if err != nil {
		return f, err
	}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return f, err
	}
	scratch, err := os.MkdirTemp(b.dir, "scratch-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	store := objstore.NewMemory()
	p, err := measure(func() error { return growStream(ctx, store, segments, scratch) })
	if err != nil {
		return f, err
	}
	f.Phases = map[string]phase{"stream": p}
	f.Phases["table"], err = measure(func() error {
		return b.openPlan(ctx, store, deduped, func(task *runner.Task, stream *landing.Stream, _ *manifests.Table) error {
			return growTable(ctx, store, task, stream, segments)
		})
	})
	if err != nil {
		return f, err
	}
	if err := writeOut(ctx, store, dir+".new/lake"); err != nil {
		return f, err
	}
	if err := os.WriteFile(dir+".new/strandline.yaml", []byte(scaleConfig), 0o666); err != nil {
		return f, err
	}
	return f, os.Rename(dir+".new", dir)
}

// writeOut writes the objects of a store into a folder lake.
func writeOut(ctx context.Context, store *objstore.Memory, dir string) error {
	for after := ""; ; {
		listed, err := store.List(ctx, "", after, 1000)
		if err != nil || len(listed) == 0 {
			return err
		}
		for _, o := range listed {
			after = o.Key
			path := filepath.Join(dir, filepath.FromSlash(o.Key))
			body, err := store.Read(ctx, o.Key)
			if err == nil {
				err = os.MkdirAll(filepath.Dir(path), 0o777)
			}
			if err == nil {
				err = os.WriteFile(path, body, 0o666)
			}
			if err != nil {
				return err
			}
		}
	}
}

// scaleConfig is the same stream and job as the program reads them.
var scaleConfig = `lake: ./lake
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: ms}
    columns: {id: VARCHAR, shop: VARCHAR, paid_by: VARCHAR, cents: BIGINT, weight: "DECIMAL(9,3)", item: VARCHAR}
jobs:
  sales_quarterly:
    from: sales
    window: {tumbling: 15m}
    partition: hour
    dedup: {key: [id], keep: last}
    key: [window_start, shop, paid_by]
    sql: |
      ` + strings.ReplaceAll(salesSQL, "\n", "\n      ") + "\n"
