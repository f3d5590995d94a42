// Command nexmark writes the events of an auction site as NDJSON, a file for each of
// persons, auctions and bids, into a folder: go run ./tools/nexmark -events 1000000 DIR
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"strandline/internal/nexmark"
)

func main() {
	o := nexmark.Options{Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	flag.Uint64Var(&o.Seed, "seed", 1, "other events for each")
	flag.IntVar(&o.Events, "events", 20_000, "how many, of all three kinds together")
	flag.DurationVar(&o.Gap, "gap", 6*time.Second, "event time between two")
	flag.DurationVar(&o.Late, "late", 40*time.Minute, "how late events arrive at most")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: nexmark [flags] DIR")
		flag.PrintDefaults()
		os.Exit(2)
	}
	if err := write(flag.Arg(0), nexmark.Events(o)); err != nil {
		fmt.Fprintln(os.Stderr, "nexmark:", err)
		os.Exit(1)
	}
}

func write(dir string, events []nexmark.Event) error {
	files := map[nexmark.Kind]*bytes.Buffer{}
	for _, kind := range nexmark.Kinds {
		files[kind] = &bytes.Buffer{}
	}
	for _, e := range events {
		files[e.Kind].Write(e.Line)
	}
	for kind, file := range files {
		if err := os.WriteFile(filepath.Join(dir, string(kind)+".ndjson"), file.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
