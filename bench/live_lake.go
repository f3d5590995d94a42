package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The first published hour, and the first that rows are posted to.
var (
	liveStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	livePosts = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
)

const liveYAML = `lake: ./lake
serve: 127.0.0.1:0
maintenance: {compact: off}
backfill: {share: %s}
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: iso}
    columns: {shop: BIGINT, cents: BIGINT}
    http: {}
jobs:
  sales_hourly:
    from: sales
    window: {tumbling: 15m}
    partition: hour
    every: 0s
    key: [window_start, shop]
    sql: SELECT window_start, shop, count(*) AS n, sum(cents)::BIGINT + %d AS cents FROM sales GROUP BY ALL
`

// writeLiveConfig writes the configuration. What was published with another code is stale,
// which the stream leaves to backfills.
func writeLiveConfig(dir, share string, code int) error {
	return os.WriteFile(filepath.Join(dir, "strandline.yaml"), fmt.Appendf(nil, liveYAML, share, code), 0o644)
}

// makeLive makes the lake, unless it is there from before.
func makeLive(program, dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "live-make-")
	if err != nil {
		return err
	}
	sales := filepath.Join(made, "sales.ndjson")
	err = errors.Join(writeLiveConfig(made, "off", 0), writeSales(sales))
	for _, args := range [][]string{{"land", "sales", sales}, {"run", "--once"}} {
		if err == nil {
			_, err = commandLine(program, made, args...)
		}
	}
	if err := errors.Join(err, os.Remove(sales)); err != nil {
		return errors.Join(err, os.RemoveAll(made))
	}
	return os.Rename(made, dir)
}

func writeSales(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	for n := range liveHours * liveRows {
		at := liveStart.Add(time.Duration(n) * time.Hour / liveRows)
		if _, err := fmt.Fprintln(w, sale(at, n)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// sale is a record of the stream.
func sale(at time.Time, n int) string {
	return fmt.Sprintf(`{"at":%q,"shop":%d,"cents":%d}`, at.Format(time.RFC3339Nano), n%97, n*7919%10_000)
}

// submitLive submits a backfill of all that was published, which is of old code, and returns
// its id.
func submitLive(program, dir string) (string, error) {
	out, err := commandLine(program, dir, "backfill", "submit", "sales_hourly", "--stale", "--parallel", "8", "--json")
	if err != nil {
		return "", err
	}
	var f struct{ Request string }
	return f.Request, json.Unmarshal(out, &f)
}

// doneOf is how many partitions of a backfill are published. It must be under way.
func doneOf(program, dir, request string) (int, error) {
	out, err := commandLine(program, dir, "backfill", "show", request, "--json")
	if err != nil {
		return 0, err
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	var f struct {
		State    string
		Progress struct{ Done int }
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return 0, err
	}
	if f.State != "running" {
		return 0, fmt.Errorf("the backfill is %s: it was to be under way for the whole phase", f.State)
	}
	return f.Progress.Done, nil
}
