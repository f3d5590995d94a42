package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// Stream, backfill and replay, as processes of their own, work on the same
// partitions at the same time, while more lands.
func TestAllDriversAtOnceLeaveOneReceiptAndNoDoubledRow(t *testing.T) {
	lines := quakeLines(t)
	want := straight(t, lines)
	stores(t, func(t *testing.T, lakeYAML func(*testing.T) string) {
		t.Parallel()
		w := newWorld(t, lakeYAML(t), 11)
		files, _ := w.arrivals(lines, 3)
		for i, file := range files {
			var group errgroup.Group
			group.Go(func() error { _, err := w.try("land", "quakes", file); return err })
			if i > 0 {
				group.Go(func() error { _, err := w.try("replay", "quakes_hourly", "--from-position", "0"); return err })
			}
			for range 2 {
				group.Go(func() error { _, err := w.try("run", "--once"); return err })
				group.Go(func() error {
					_, err := w.try("backfill", "quakes_hourly", "--from", "2018-01-01", "--to", "2018-03-01", "--recompute")
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
		}
		w.allAtOnce(t)
		compare(t, w.published(), want)
	})
}

// allAtOnce lets every driver recompute everything from the same input, and
// finds that all made the receipts that stand, and that one edit of each
// partition's made them.
func (w *world) allAtOnce(t *testing.T) {
	commands := [][]string{
		{"run", "--once", "--json"},
		{"backfill", "quakes_hourly", "--from", "2018-01-01", "--to", "2018-03-01", "--recompute", "--json"},
		{"replay", "quakes_hourly", "--from-position", "0", "--json"},
	}
	outs := make([]string, len(commands))
	var group errgroup.Group
	for i, args := range commands {
		group.Go(func() (err error) {
			outs[i], err = w.try(args...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	receipts := map[string]string{}
	for i, out := range outs {
		for _, line := range outcomes(out) {
			name, digest := receiptIn(t, line)
			if receipts[name] == "" {
				receipts[name] = digest
			}
			if receipts[name] != digest {
				t.Errorf("%v made receipt %s of partition %s, another driver made %s", commands[i], digest, name, receipts[name])
			}
		}
	}
	if len(receipts) != 8 {
		t.Errorf("the drivers made %d partitions, want 8", len(receipts))
	}
	w.publishedOnce(t)
}

func receiptIn(t *testing.T, line string) (partition, digest string) {
	t.Helper()
	var fact struct {
		Partition, State string
		Receipt          struct {
			RowDigest   string `json:"row_digest"`
			InputDigest string `json:"input_digest"`
		}
	}
	if err := json.Unmarshal([]byte(line), &fact); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return fact.Partition, fact.Receipt.InputDigest + " " + fact.Receipt.RowDigest
}

// publishedOnce checks in the table's history that no partition was published
// twice from the same input: a repeat is no edit.
func (w *world) publishedOnce(t *testing.T) {
	seen := map[string]int{}
	for line := range strings.Lines(w.run("history", "quakes_hourly", "--json")) {
		var change struct {
			Version  int
			Receipts []struct {
				Partition   string
				InputDigest string `json:"input_digest"`
			}
		}
		if err := json.Unmarshal([]byte(line), &change); err != nil {
			t.Fatal(err)
		}
		for _, r := range change.Receipts {
			key := fmt.Sprint(r.Partition, " from input ", r.InputDigest)
			if first, twice := seen[key]; twice {
				t.Errorf("partition %s was published in versions %d and %d", key, first, change.Version)
			}
			seen[key] = change.Version
		}
	}
}
