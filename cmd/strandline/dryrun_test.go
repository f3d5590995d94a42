package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// mixedYAML is a job whose partitions fail (of more than 255 cents an hour) or are held (of
// more than 100).
const mixedYAML = `lake: ./lake
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: iso}
    columns: {cents: BIGINT}
jobs:
  mixed_daily:
    from: sales
    window: {tumbling: 1h}
    partition: day
    key: [window_start]
    sql: SELECT window_start, count(*) AS n, sum(cents)::UTINYINT AS cents FROM sales GROUP BY window_start
    checks:
      - range: {column: cents, max: 100}
`

// mixed is a lake in which partitions are in any state.
type mixed struct {
	proof
	random *rand.Rand
	landed int
}

const mixedDays = 8

func newMixed(t *testing.T, seed uint64) *mixed {
	t.Helper()
	m := &mixed{proof: proof{t, t.TempDir()}, random: rand.New(rand.NewPCG(seed, 0))}
	m.write("strandline.yaml", mixedYAML)
	m.land(mixedDays)
	m.run("backfill", "mixed_daily", "--from", m.day(0), "--to", m.day(mixedDays/2))
	m.land(2)
	if m.random.IntN(3) == 0 {
		m.rewrite("count(*) AS n", "count(*) + 0 AS n")
	}
	if m.random.IntN(3) == 0 {
		m.rewrite("    columns:", "    retain: {bytes: 1KB}\n    columns:")
		m.run("sweep", "--grace", "0s")
	}
	return m
}

// day is the name of the nth day, from 0 on.
func (m *mixed) day(n int) string { return fmt.Sprintf("2026-03-%02d", n+1) }

// land lands rows of so many days, each in a file of its own.
func (m *mixed) land(days int) {
	m.t.Helper()
	for range days {
		m.landed++
		name := fmt.Sprintf("%d.ndjson", m.landed)
		cents := []int{1, 1, 1, 150, 300}[m.random.IntN(5)]
		m.write(name, fmt.Sprintf(`{"at":"%sT%02d:00:00Z","cents":%d}`+"\n", m.day(m.random.IntN(mixedDays)), m.random.IntN(24), cents))
		m.good("land", "sales", m.path(name))
	}
}

// request is some backfill or replay.
func (m *mixed) request() []string {
	r := m.random
	if r.IntN(6) == 0 {
		return []string{"replay", "mixed_daily", "--from-position", fmt.Sprint(r.IntN(m.landed))}
	}
	args := []string{"backfill", "mixed_daily"}
	from := r.IntN(mixedDays)
	to := m.day(from + 1 + r.IntN(mixedDays-from))
	ways := [][]string{
		{"--from", m.day(from), "--to", to}, {"--from", m.day(from)}, {"--to", to},
		{"--from", m.day(from) + "T10", "--to", to, "--widen"}, {"--rebuild"}, {},
	}
	way := ways[r.IntN(len(ways))]
	args = append(args, way...)
	switch states := []string{"--stale", "--missing", "--failed"}; {
	case len(way) == 0:
		args = append(args, states[r.IntN(3)])
	case way[0] == "--rebuild":
	case r.IntN(3) == 0:
		args = append(args, states[r.IntN(3)], states[r.IntN(3)])
	case r.IntN(3) == 0:
		args = append(args, "--recompute")
	}
	args = append(args, "--order", []string{"newest", "oldest", "random"}[r.IntN(3)])
	if r.IntN(4) == 0 {
		args = append(args, "--atomic")
	}
	if r.IntN(4) == 0 {
		args = append(args, "--max-failures", "2")
	}
	return args
}

// tried are what a run tried and what it left out, in its order, or what a dry run says of it.
type tried struct{ computed, left []string }

func (m *mixed) dry(args []string) (t tried) {
	m.t.Helper()
	var tasks int
	for line := range strings.Lines(m.run(append(args, "--dry-run", "--json")...).out) {
		switch e := eventOf(m.t, line); {
		case e.Event == "planned":
			tasks = e.Tasks
		case len(t.computed) < tasks:
			t.computed = append(t.computed, e.Partition)
		default:
			t.left = append(t.left, e.Partition)
		}
	}
	return t
}

func (m *mixed) wet(args []string) (t tried, code int) {
	m.t.Helper()
	r := m.run(append(args, "--json", "--parallel", "1")...)
	for line := range strings.Lines(r.out) {
		switch e := eventOf(m.t, line); {
		case e.Event == "started":
			t.computed = append(t.computed, e.Partition)
		case e.Event == "partition" && e.State == leftOut:
			t.left = append(t.left, e.Partition)
		}
	}
	return t, r.code
}

// What a dry run prints is what the run does, in that order, whatever the state of the lake
// and whatever is asked for. Of an atomic run of which a part can't be computed it is nothing,
// a bound on failures ends it early, and so does one that keeps all from being published.
func TestTheDryRunPrintsWhatTheRunDoesOfAnyLake(t *testing.T) {
	lakes, requests := 8, 6
	if testing.Short() {
		lakes = 2
	}
	for seed := range uint64(lakes) {
		m := newMixed(t, seed)
		for range requests {
			args := m.request()
			said := m.dry(args)
			did, code := m.wet(args)
			switch {
			case slices.Contains(args, "--atomic") && !slices.Contains(args, "--rebuild") && len(said.left) > 0:
				said = tried{}
			case slices.Contains(args, "--max-failures") && code == exitSomeFailed && len(did.computed) < len(said.computed):
				said.computed = said.computed[:max(2, len(did.computed))]
			case (slices.Contains(args, "--atomic") || slices.Contains(args, "--rebuild")) && code == exitSomeFailed && len(did.computed) < len(said.computed):
				said.computed = said.computed[:max(1, len(did.computed))]
			}
			if !slices.Equal(said.computed, did.computed) || !slices.Equal(said.left, did.left) {
				t.Errorf("lake %d, %v: the dry run said %v, and the run did %v", seed, args, said, did)
			}
			if m.random.IntN(2) == 0 {
				m.land(1)
			}
		}
	}
}
