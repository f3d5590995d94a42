package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

const checksYAML = `
    checks:
      - {name: plausible, range: {column: strongest, min: 0, max: 10}}
      - not_null: [net, quakes]
      - rows: {min: 1, max_drop: 50%}
      - sql: SELECT * FROM quakes_hourly WHERE quakes < 1
`

// quake is one line; its id is its number.
func quake(id, day int, mag string) string {
	at := time.Date(2018, 2, day, id%24, 0, 0, 0, time.UTC)
	return fmt.Sprintf(`{"time":%d,"id":"q%d","mag":%s,"net":"us","place":"here","updated":1}`, at.UnixMilli(), id, mag)
}

func newCheckedWorld(t *testing.T, lakeYAML, checks string) *world {
	t.Helper()
	w := newWorld(t, lakeYAML, 3)
	w.configure(lakeYAML, checks)
	return w
}

func (w *world) configure(lakeYAML, checks string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "strandline.yaml"), []byte(lakeYAML+jobYAML+checks), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// lands lands lines as an arrival of its own.
func (w *world) lands(lines ...string) {
	w.t.Helper()
	file := filepath.Join(w.dir, "arrivals", "next.ndjson")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.run("land", "quakes", file)
}

// exits runs the program, which must end with this code.
func (w *world) exits(code int, args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	}
	if got != code {
		w.t.Fatalf("strandline %s: exit code %d, want %d: %v", strings.Join(args, " "), got, code, err)
	}
	if err != nil {
		return err.Error()
	}
	return out
}

// fact is what --json says of a partition.
type fact struct {
	Partition  string
	State      string
	Violations []string
	Warnings   []string
	Receipt    struct{ Files []struct{ ID string } }
}

func (w *world) facts(args ...string) (facts []fact) {
	w.t.Helper()
	for _, line := range outcomes(w.run(append(args, "--json")...)) {
		var f fact
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			w.t.Fatalf("%q: %v", line, err)
		}
		if f.Partition != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

// held are the partitions that are held, each with its file.
func (w *world) held() (held []string) {
	w.t.Helper()
	for _, f := range w.facts("held") {
		if len(f.Violations) == 0 || f.State != "held" {
			w.t.Errorf("held says %+v", f)
		}
		for _, file := range f.Receipt.Files {
			held = append(held, f.Partition+"/"+file.ID+".parquet")
		}
	}
	return held
}

func (w *world) strongest(flags ...string) string {
	w.t.Helper()
	text := w.run(append([]string{"query", "--format", "csv", "SELECT max(strongest) AS s FROM quakes_hourly"}, flags...)...)
	return strings.TrimSpace(strings.TrimPrefix(text, "s"))
}

func (w *world) wants(text string, parts ...string) {
	w.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.t.Errorf("nothing says %q in:\n%s", part, text)
		}
	}
}

func TestABlockedResultIsHeldForAPersonToSettle(t *testing.T) {
	stores(t, func(t *testing.T, lakeYAML func(*testing.T) string) {
		lake := lakeYAML(t)
		w := newCheckedWorld(t, lake, checksYAML)
		backfill := []string{"backfill", "quakes_hourly", "--from", "2018-02-01", "--to", "2018-02-04"}

		w.lands(quake(1, 1, "1.5"), quake(2, 1, "2.5"), quake(3, 2, "0.5"))
		w.run("run", "--once")
		w.lands(quake(4, 1, "11.2"))
		const violation = "check plausible (range of strongest): 1 row outside [0, 10], for example (window_start=2018-02-01T04:00:00Z, net=us, strongest=11.200)"
		w.wants(w.exits(3, "run", "--once"), "2018-02-01     held", violation, "strandline held")
		if got := w.strongest(); got != "2.500" {
			t.Errorf("a held result is published: the strongest is %s", got)
		}
		if got := w.strongest("--candidate"); got != "11.200" {
			t.Errorf("as a candidate the strongest is %s", got)
		}
		w.wants(w.run("held"), "2018-02-01", violation)
		w.wants(w.run("status"), "1 fresh", "1 held")
		w.wants(w.run("plan"), "2018-02-01", "held", violation)

		before := w.held()
		w.wants(w.exits(3, append(backfill, "--recompute")...), violation, "1 unchanged", "0 failed, 1 held (see strandline held)")
		if after := w.held(); len(before) != 1 || !slices.Equal(after, before) {
			t.Errorf("held are %q, then %q; want the same one", before, after)
		}
		w.run("release", "quakes_hourly", "2018-02-01")
		if got := w.strongest(); got != "11.200" || len(w.held()) != 0 {
			t.Errorf("after its release the strongest is %s, held are %q", got, w.held())
		}
		w.run(append(backfill, "--recompute")...)

		w.lands(quake(5, 2, "12"))
		w.exits(3, "run", "--once")
		w.run("drop", "quakes_hourly", "2018-02-02")
		w.run("run", "--once")
		if held := w.held(); len(held) != 0 {
			t.Errorf("the stream holds again what was dropped: %q", held)
		}
		w.lands(quake(6, 2, "1"))
		w.exits(3, "run", "--once")

		w.configure(lake, strings.Replace(checksYAML, "name: plausible,", "name: plausible, on_failure: warn,", 1))
		w.wants(w.exits(3, "run", "--once"), "strandline held") // other checks alone make nothing stale
		if held := w.held(); len(held) != 1 {
			t.Errorf("held are %q, want what was", held)
		}
		facts := w.facts(backfill...)
		if len(facts) != 1 || facts[0].State != "published" || len(facts[0].Warnings) != 1 {
			t.Errorf("backfill by a check that warns says %+v", facts)
		}
		w.wants(w.run("history", "quakes_hourly"), "1 partition held: 2018-02-01", "released by a person", "candidate dropped: 2018-02-02",
			"warning for 2018-02-02: check plausible (range of strongest)")
		if got := w.strongest(); got != "12.000" || len(w.held()) != 0 {
			t.Errorf("in the end the strongest is %s, held are %q", got, w.held())
		}
	})
}

func TestInputThatIsPutRightEndsACandidate(t *testing.T) {
	w := newCheckedWorld(t, "lake: ./lake\n", checksYAML)
	w.lands(quake(1, 1, "-3"))
	w.exits(3, "run", "--once")
	w.lands(quake(1, 1, "3")) // the same id: dedup keeps the last
	w.wants(w.run("run", "--once"), "2018-02-01", "published")
	if got := w.strongest(); got != "3.000" || len(w.held()) != 0 {
		t.Errorf("the strongest is %s, held are %q", got, w.held())
	}
}

func TestACheckOfAColumnThatIsNotThereIsAMistake(t *testing.T) {
	w := newCheckedWorld(t, "lake: ./lake\n", "    checks: [{not_null: [mag]}]\n")
	w.wants(w.exits(2, "run", "--once"), "check not_null of mag: the SQL selects no column mag: it selects window_start, net, quakes, strongest, checksum")
	w.configure("lake: ./lake\n", "    checks: [{notnull: [net]}]\n")
	w.wants(w.exits(2, "run", "--once"), ":15: unknown key \"notnull\" in jobs.quakes_hourly.checks[0]; did you mean \"not_null\"?")
}

// Processes that make and hold the same results at the same time leave one
// candidate a partition, and no file that nothing names.
func TestProcessesThatHoldAtOnceLeaveOneCandidate(t *testing.T) {
	w := newCheckedWorld(t, "lake: ./lake\n", checksYAML)
	var lines []string
	for i := range 24 {
		lines = append(lines, quake(i, 1+i%6, fmt.Sprint(i%6*3))) // 12 and 15 are too much
	}
	w.lands(lines...)
	var group errgroup.Group
	for range 2 {
		for _, args := range [][]string{{"run", "--once"}, {"backfill", "quakes_hourly", "--from", "2018-02-01", "--to", "2018-02-10", "--recompute"}} {
			group.Go(func() error {
				_, err := w.try(args...)
				if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
					return nil
				}
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	held := w.held()
	if len(held) != 2 {
		t.Errorf("held are %q, want the 2 days with too much", held)
	}
	named := held
	for _, f := range w.facts("status", "quakes_hourly") {
		for _, file := range f.Receipt.Files {
			named = append(named, f.Partition+"/"+file.ID+".parquet")
		}
	}
	slices.Sort(named)
	if there := w.dataFiles(); !slices.Equal(there, named) {
		t.Errorf("there are the files %q, receipts and candidates name %q", there, named)
	}
}

func (w *world) dataFiles() []string {
	w.t.Helper()
	data := filepath.Join(w.dir, "lake/tables/quakes_hourly/data")
	paths, err := filepath.Glob(data + "/*/*.parquet")
	if err != nil {
		w.t.Fatal(err)
	}
	for i, path := range paths {
		paths[i], _ = filepath.Rel(data, path)
	}
	slices.Sort(paths)
	return paths
}

// A stream's trigger brings all its files up before its edit. It is killed when
// the first is there.
func TestAKillBetweenUploadAndEditLeavesNothingVisible(t *testing.T) {
	w := newCheckedWorld(t, "lake: ./lake\n", checksYAML)
	var lines []string
	for i := range 24 * 20 {
		lines = append(lines, quake(i, 1+i%20, "11"))
	}
	w.lands(lines...)
	cmd := w.command("run", "--once", "--parallel", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for deadline := time.Now().Add(time.Minute); len(w.dataFiles()) == 0; {
		if time.Now().After(deadline) {
			t.Error("no file was brought up in a minute")
			break
		}
	}
	_ = cmd.Process.Kill()
	if err := <-ended; !wasKilled(err) {
		t.Fatalf("the program ended by itself: %v", err)
	}
	if held := w.held(); len(held) != 0 {
		t.Errorf("held are %q before there was an edit", held)
	}
	if change := w.run("history", "quakes_hourly"); strings.Count(change, "\n") != 1 {
		t.Errorf("the history is %s, want the registration alone", change)
	}
	w.exits(3, "run", "--once")
	if held := w.held(); len(held) != 20 {
		t.Errorf("held are %d, want 20", len(held))
	}
}
