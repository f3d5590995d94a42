package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"strandline/requests"
)

// shift is two workers in processes of their own, and the requests that they work on.
type shift struct {
	proof
	random  *rand.Rand
	workers [2]*exec.Cmd
	ids     []string
}

// Whatever people do with requests, at any moment, and whichever worker is killed: what is
// wanted is published once, and list tells so.
func TestAnyHistoryOfRequestsEndsInTheTruth(t *testing.T) {
	const days, steps = 200, 60
	s := &shift{proof: newProof(t), random: rand.New(rand.NewPCG(1, 200))}
	var rows strings.Builder
	for n := range days {
		fmt.Fprintf(&rows, `{"at":"%sT10:00:00Z","shop":"x","cents":%d}`+"\n", s.day(n), n)
	}
	s.write("c.ndjson", rows.String())
	s.good("land", "sales", s.path("c.ndjson"))
	for i := range s.workers {
		s.workers[i] = s.worker()
	}
	s.submit(days)
	for range steps {
		s.step(days)
	}
	s.asks("backfill", "submit", "sales_hourly", "--from", s.day(0), "--to", s.day(days))
	s.until("all requests are done", func() bool {
		open := slices.DeleteFunc(slices.Clone(s.ids), func(id string) bool { return s.stands(id).State == requests.Done })
		for _, id := range open {
			s.run("backfill", "resume", id) // what has ended in between is none to resume
		}
		return len(open) == 0
	})
	for _, w := range s.workers {
		s.stop(w)
	}
	s.holds(days)
}

func (s *shift) day(n int) string {
	return time.Date(2025, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// step does one thing that a person or a machine may do.
func (s *shift) step(days int) {
	id := s.ids[s.random.IntN(len(s.ids))]
	verbs := [][]string{{"pause", id}, {"resume", id}, {"cancel", id}, {"resize", id, "--parallel", fmt.Sprint(1 + s.random.IntN(5))}}
	switch i := s.random.IntN(len(verbs) + 4); i {
	case len(verbs), len(verbs) + 1:
		s.submit(days)
	case len(verbs) + 2: // kill -9
		i := s.random.IntN(len(s.workers))
		if err := s.workers[i].Process.Kill(); err != nil {
			s.t.Fatal(err)
		}
		_ = s.workers[i].Wait() // it was killed
		s.workers[i] = s.worker()
	case len(verbs) + 3:
		i := s.random.IntN(len(s.workers))
		s.stop(s.workers[i])
		s.workers[i] = s.worker()
	default:
		if r := s.run(append([]string{"backfill"}, verbs[i]...)...); r.code != exitDone && !strings.Contains(r.err, "has ended") {
			s.t.Errorf("%v: exit %d\n%s%s", verbs[i], r.code, r.out, r.err)
		}
	}
}

func (s *shift) stop(w *exec.Cmd) {
	s.t.Helper()
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := w.Wait(); err != nil && w.ProcessState.ExitCode() > 0 { // else it had not come to hear of signals
		s.t.Errorf("a worker that was told to end: %v", err)
	}
}

// submit asks for something at random.
func (s *shift) submit(days int) {
	from := s.random.IntN(days)
	to := from + 1 + s.random.IntN(days-from)
	how := []string{"--slices", fmt.Sprint(1 + s.random.IntN(40)), "--parallel", fmt.Sprint(1 + s.random.IntN(5))}
	switch s.random.IntN(4) {
	case 0:
		s.asks(append([]string{"replay", "submit", "sales_hourly", "--from-position", fmt.Sprint(from)}, how...)...)
	case 1:
		s.asks(append([]string{"backfill", "submit", "sales_hourly", "--from", s.day(from), "--to", s.day(to), "--recompute"}, how...)...)
	default:
		s.asks(append([]string{"backfill", "submit", "sales_hourly", "--from", s.day(from), "--to", s.day(to)}, how...)...)
	}
}

func (s *shift) asks(args ...string) {
	s.t.Helper()
	id, _, _ := strings.Cut(s.good(args...), "\n")
	if id != "" && !slices.Contains(s.ids, id) {
		s.ids = append(s.ids, id)
	}
}

// holds tells that each day was published by one version, and what is told of requests is true.
func (s *shift) holds(days int) {
	table, _ := s.table()
	swaps := map[string]int{}
	for change, err := range table.Changes(s.t.Context()) {
		if err != nil {
			s.t.Fatal(err)
		}
		for _, r := range change.Receipts {
			swaps[r.Partition]++
		}
	}
	for n := range days {
		if swaps[s.day(n)] != 1 {
			s.t.Errorf("%s was published %d times", s.day(n), swaps[s.day(n)])
		}
	}
	for _, id := range s.ids {
		if f := s.stands(id); f.Run != f.Slices || f.Claimed != 0 || f.Failed != 0 || f.Progress.Done != f.Partitions {
			s.t.Errorf("list says %+v of %+v", f.Progress, f)
		}
		if out := s.good("backfill", "show", id); strings.Contains(out, "\nworker ") {
			s.t.Errorf("show says\n%s", out)
		}
	}
	s.good("check-lake", "--deep")
}
