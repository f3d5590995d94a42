package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"strandline/internal/config"
)

func TestInitWritesAFileThatLoads(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, args := range [][]string{{"init"}, {"init", "deep/er"}, {"init", "-c", "own.yaml"}} {
		if r := strandline(t, args...); r.code != exitDone || !strings.Contains(r.out, "strandline land events") {
			t.Fatalf("%v: %+v", args, r)
		}
	}
	for _, path := range []string{"strandline.yaml", "deep/er/strandline.yaml", "own.yaml"} {
		if _, err := config.Load(path, os.LookupEnv); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(".strandline-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func TestInitNeverOverwrites(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("strandline.yaml", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := strandline(t, "init")
	if r.code != exitUsage || !strings.Contains(r.err, "strandline.yaml is there already") {
		t.Errorf("%+v", r)
	}
	if got, err := os.ReadFile("strandline.yaml"); err != nil || string(got) != "mine" {
		t.Errorf("holds %q, %v", got, err)
	}
}

func TestInitTellsProgramsTheFile(t *testing.T) {
	dir := t.TempDir()
	r := strandline(t, "init", dir, "--json")
	var got struct{ Config string }
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || strings.Count(r.out, "\n") != 1 {
		t.Fatalf("%q: %v", r.out, err)
	}
	if got.Config != filepath.Join(dir, "strandline.yaml") {
		t.Errorf("%+v", got)
	}
}

func TestOfRacingInitsOneWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strandline.yaml")
	var won atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch err := createWhole(path, config.Template()); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d won", won.Load())
	}
}

func TestInitThatCannotWriteIsAFailureNotMisuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := strandline(t, "init", filepath.Join(file, "dir")); r.code != exitFailed || !strings.HasPrefix(r.err, "strandline: make the folder of ") {
		t.Errorf("%+v", r)
	}
}

func TestInitFromASampleLandsAndRuns(t *testing.T) {
	sample, err := filepath.Abs("../../testdata/quakes.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if r := strandline(t, "init", "--from", sample); r.code != exitDone || !strings.Contains(r.out, "strandline land quakes") || !strings.Contains(r.out, "Next, read its comments, which say what is in doubt") {
		t.Fatalf("%+v", r)
	}
	if r := strandline(t, "land", "quakes", sample); r.code != exitDone || !strings.Contains(r.out, "landed 1707 rows") || strings.Contains(r.out, "reject") {
		t.Fatalf("%+v", r)
	}
	if r := strandline(t, "run", "--once"); r.code != exitDone || !strings.Contains(r.out, "quakes_daily: 8 partitions, 8 fresh") {
		t.Fatalf("%+v", r)
	}
	if r := strandline(t, "init", "--from", sample); r.code != exitUsage || !strings.Contains(r.err, "is there already") || !strings.Contains(r.err, "For one more stream, strandline init DIR --from FILE") {
		t.Errorf("%+v", r)
	}
}

// A changed type is refused, with what to do, whatever is asked for.
func TestANarrowedTypeIsRefusedWithExitCode4(t *testing.T) {
	t.Chdir(t.TempDir())
	declare := func(columns string) {
		t.Helper()
		text := "lake: ./lake\nstreams:\n  s: {format: ndjson, event_time: {column: t, unit: s}, columns: {" + columns + "}}\n" +
			"jobs:\n  j: {from: s, window: {tumbling: 1h}, partition: day, key: [window_start], sql: \"SELECT window_start, sum(n)::BIGINT AS n FROM s GROUP BY 1\"}\n"
		if err := os.WriteFile("strandline.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	land := func(line string) result {
		t.Helper()
		if err := os.WriteFile("s.ndjson", []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		return strandline(t, "land", "s", "s.ndjson")
	}
	declare("id: VARCHAR")
	if r := land(`{"t":1772359200,"id":"a","m":5}`); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	declare("n: {type: BIGINT, aliases: [m]}")
	if r := land(`{"t":1772359200,"n":6}`); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	if r := strandline(t, "run", "--once"); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	if r := strandline(t, "query", "SELECT n FROM j", "--format", "csv"); !strings.Contains(r.out, "11") {
		t.Errorf("a column that was added and an alias: %+v", r)
	}
	declare("n: INTEGER")
	for _, r := range []result{land(`{"t":1772359200,"n":7}`), strandline(t, "run", "--once"), strandline(t, "backfill", "j", "--stale", "--dry-run"), strandline(t, "plan"), strandline(t, "verify", "j")} {
		looks := strings.HasPrefix(r.out, "j at position ") // plan reads no row
		if r.code != exitRefused && !looks || looks && r.code != exitDone || !strings.Contains(r.err, "column n is BIGINT in rows that have landed, and INTEGER in the configuration") {
			t.Errorf("%+v", r)
		}
	}
}
