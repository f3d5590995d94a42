package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"strandline/internal/miniotest"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	miniotest.Main(m)
	// The process ends with the folder still there if tests call os.Exit.
	_ = os.RemoveAll(filepath.Dir(binary))
}

func build() error {
	dir, err := os.MkdirTemp("", "strandline-e2e-")
	if err != nil {
		return err
	}
	binary = filepath.Join(dir, "strandline")
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s", "-o", binary, "strandline/cmd/strandline").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

// sourcesSeen looks at every file that the program may be built from. The go
// command notes what a test looks at while it runs, and takes no earlier result
// for that of other sources.
var sourcesSeen = sync.OnceValue(func() error {
	return filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
			_, err = os.Stat(path)
		}
		return err
	})
})

// seeds is how many random histories a test tries: 10, or STRANDLINE_SEEDS.
func seeds(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("STRANDLINE_SEEDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("STRANDLINE_SEEDS=%s: want a number from 1", text)
		}
		return n
	}
	if testing.Short() {
		return 2
	}
	return 10
}

// world is one lake with its configuration, worked on by real processes.
type world struct {
	t      *testing.T
	dir    string
	random *rand.Rand
}

// jobYAML is the README's job over the earthquakes.
const jobYAML = `
streams:
  quakes:
    format: ndjson
    event_time: {column: time, unit: ms}
    columns: {id: VARCHAR, mag: "DECIMAL(6,3)", net: VARCHAR, place: VARCHAR, updated: BIGINT}
    dir: {path: ./inbox, settle: 20ms}
jobs:
  quakes_hourly:
    from: quakes
    window: {tumbling: 1h}
    partition: day
    dedup: {key: [id], keep: last}
    key: [window_start, net]
    every: 10ms
    sql: |
      SELECT window_start, net, count(*) AS quakes, max(mag) AS strongest,
             sum(updated % 1000)::BIGINT AS checksum
      FROM quakes GROUP BY window_start, net
`

func newWorld(t *testing.T, lakeYAML string, seed uint64) *world {
	t.Helper()
	if err := sourcesSeen(); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 1))}
	for _, sub := range []string{"inbox", "tmp", "arrivals"} {
		if err := os.Mkdir(filepath.Join(w.dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.dir, "strandline.yaml"), []byte(lakeYAML+jobYAML), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

// stores runs a test over a folder and over MinIO.
func stores(t *testing.T, test func(t *testing.T, lakeYAML func(t *testing.T) string)) {
	t.Run("folder", func(t *testing.T) {
		test(t, func(*testing.T) string { return "lake: ./lake\n" })
	})
	t.Run("minio", func(t *testing.T) {
		server := miniotest.Start(t)
		test(t, func(t *testing.T) string {
			return fmt.Sprintf("lake: s3://%s/lake\ns3: {endpoint: %q, region: %s}\n", server.Bucket(t), server.Endpoint, miniotest.Region)
		})
	})
}

// command is one process of the program; its scratch is the world's own. It leaves no room to the
// tests of other packages beside it, which have the processors in common with it.
func (w *world) command(args ...string) *exec.Cmd {
	switch args[0] {
	case "backfill", "replay", "verify", "reconcile", "worker":
		if len(args) < 2 || args[1] != "submit" {
			args = append(slices.Clone(args), "--nice", "0")
		}
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(w.dir, "tmp"))
	return cmd
}

// run runs the program to its end, which must be good, and returns what it
// printed to standard output.
func (w *world) run(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("strandline %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func (w *world) try(args ...string) (string, error) {
	var out, notes bytes.Buffer
	cmd := w.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &notes
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w\n%s%s", err, &out, &notes)
	}
	return out.String(), nil
}

// killed runs the program and kills it (SIGKILL) after a random part of most,
// unless it ends before. It tells whether it ended well.
func (w *world) killed(most time.Duration, args ...string) bool {
	var notes bytes.Buffer
	cmd := w.command(args...)
	cmd.Stderr = &notes
	if err := cmd.Start(); err != nil {
		w.t.Error(err)
		return false
	}
	timer := time.AfterFunc(time.Duration(w.random.Int64N(int64(most))), func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if err != nil && !wasKilled(err) {
		w.t.Errorf("strandline %s: %v\n%s", strings.Join(args, " "), err, &notes)
	}
	return err == nil
}

func wasKilled(err error) bool { return signalled(err, syscall.SIGKILL) }

// signalled tells whether a process was ended by a signal that it did not catch,
// as any does in the moment before main runs.
func signalled(err error, by syscall.Signal) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == by
}

// insist runs the program again and again, killing some of the tries, until
// one has ended well.
func (w *world) insist(most time.Duration, args ...string) {
	w.t.Helper()
	for range 3 {
		if w.killed(most, args...) {
			return
		}
	}
	w.run(args...)
}

// follow keeps a "strandline run" going, killed and started again at random,
// until ctx ends; then it is interrupted and must end well.
func (w *world) follow(ctx context.Context, most time.Duration, random *rand.Rand) error {
	for {
		var notes bytes.Buffer
		cmd := w.command("run", "--poll", "20ms")
		cmd.Stderr = &notes
		if err := cmd.Start(); err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		timer := time.NewTimer(time.Duration(random.Int64N(int64(most))))
		select {
		case err := <-ended:
			timer.Stop()
			return fmt.Errorf("strandline run ended by itself: %w\n%s", err, &notes)
		case <-timer.C:
			_ = cmd.Process.Kill()
			<-ended
		case <-ctx.Done():
			timer.Stop()
			_ = cmd.Process.Signal(syscall.SIGTERM)
			if err := <-ended; err != nil && !(notes.Len() == 0 && signalled(err, syscall.SIGTERM)) {
				return fmt.Errorf("strandline run did not stop cleanly: %w\n%s", err, &notes)
			}
			return nil
		}
	}
}

// outcomes are the lines of what a command prints with --json that say what became of
// something: not those of the other events of a backfill.
func outcomes(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, `{"event":`) || strings.HasPrefix(line, `{"event":"partition"`) {
			lines = append(lines, line)
		}
	}
	return lines
}
