package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// The real binary is killed at random while it lands, streams and backfills.
// In the end every arrival has landed once and every row is right, by a
// computation that shares nothing with the program.
func TestKillsLoseNothingAndDoubleNothing(t *testing.T) {
	lines := quakeLines(t)
	want := straight(t, lines)
	stores(t, func(t *testing.T, lakeYAML func(*testing.T) string) {
		for seed := range seeds(t) {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, lakeYAML(t), uint64(seed))
				rows := w.landUnderKills(lines)
				w.insist(500*time.Millisecond, "run", "--once")
				compare(t, w.published(), want)
				w.positionsAreDense(rows)
				w.everythingIsReproduced()
			})
		}
	})
}

// landUnderKills lands the lines in 20 arrivals, by the land command and by the
// watched folder, while a stream follows and backfills come and go. It returns
// how many rows have arrived.
func (w *world) landUnderKills(lines [][]byte) (rows int) {
	w.t.Helper()
	files, rows := w.arrivals(lines, 20)
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	var group errgroup.Group
	random := rand.New(rand.NewPCG(w.random.Uint64(), 2))
	group.Go(func() error { return w.follow(ctx, 1500*time.Millisecond, random) })
	for i, file := range files {
		if w.random.IntN(4) == 0 {
			w.drop(file)
		} else {
			w.insist(120*time.Millisecond, "land", "quakes", file)
		}
		if i%7 == 6 {
			w.insist(400*time.Millisecond, "backfill", "quakes_hourly", "--from", "2018-01-30", "--to", "2018-02-10")
		}
	}
	w.untilLanded(len(files))
	stop()
	if err := group.Wait(); err != nil {
		w.t.Error(err)
	}
	return rows
}

// drop moves a file into the watched folder.
func (w *world) drop(file string) {
	if err := os.Rename(w.dir+"/"+file, w.dir+"/inbox/"+strings.ReplaceAll(file, "/", "-")); err != nil {
		w.t.Fatal(err)
	}
}

// streamStatus is what "strandline status --json" says of the stream.
type streamStatus struct {
	Stream   string
	Head     int `json:"head_position"`
	Arrivals int
}

func (w *world) status() streamStatus {
	w.t.Helper()
	line, _, _ := strings.Cut(w.run("status", "--json"), "\n")
	var s streamStatus
	if err := json.Unmarshal([]byte(line), &s); err != nil || s.Stream != "quakes" {
		w.t.Fatalf("status says %q: %v", line, err)
	}
	return s
}

// untilLanded waits for the stream, another process, to have landed all files
// of the watched folder.
func (w *world) untilLanded(arrivals int) {
	w.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for w.status().Arrivals < arrivals {
		if time.Now().After(deadline) {
			w.t.Fatalf("after a minute %+v has landed of %d files", w.status(), arrivals)
		}
	}
}

func (w *world) positionsAreDense(rows int) {
	w.t.Helper()
	if s := w.status(); s.Head != rows {
		w.t.Errorf("the stream has positions [0, %d), want [0, %d): one for each row that arrived", s.Head, rows)
	}
}

// everythingIsReproduced recomputes the table by backfill and by replay and
// finds every receipt again.
func (w *world) everythingIsReproduced() {
	w.t.Helper()
	for _, args := range [][]string{
		{"backfill", "quakes_hourly", "--from", "2018-01-01", "--to", "2018-03-01", "--recompute", "--json"},
		{"replay", "quakes_hourly", "--from-position", "0", "--json"},
	} {
		lines := outcomes(w.run(args...))
		for _, line := range lines {
			if !strings.Contains(line, `"state":"unchanged"`) {
				w.t.Errorf("%s did not reproduce a receipt: %s", args[0], line)
			}
		}
		if len(lines) != 8 {
			w.t.Errorf("%s recomputed %d partitions, want 8", args[0], len(lines))
		}
	}
}
