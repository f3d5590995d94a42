package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The lake of live: published hours, so many rows each, that backfills compute again while
// other rows are posted.
const (
	liveHours = 4000
	liveRows  = 100
)

// The rounds of live. Each has a phase of every load, in turn, so that what else the machine
// does falls on all of them.
const (
	liveRounds = 3
	livePhase  = 10 * time.Second
	livePause  = 40 * time.Millisecond // between a publication and the next post
	liveWarmup = 5                     // posts that don't count
)

// load is what goes on beside the stream.
type load struct {
	text     string
	backfill bool     // a request is under way
	worker   []string // the command of another process that works it, or nil
	share    string   // of the stream's process
}

var loads = []load{
	{text: "nothing", share: "off"},
	{text: "a backfill in the same process", backfill: true, share: "50%"},
	{text: "a backfill in another process", backfill: true, worker: []string{"worker"}, share: "off"},
	{text: "a backfill in another process, --nice 0", backfill: true, worker: []string{"worker", "--nice", "0"}, share: "off"},
}

// live tells how long it takes from a post's answer until its row is published, with and
// without a backfill of the same table.
func (b bench) live() error {
	ctx := context.Background()
	program, err := filepath.Abs(b.program)
	if err != nil {
		return err
	}
	lake := filepath.Join(b.dir, fmt.Sprintf("live-%d-%d", liveHours, liveRows))
	if err := makeLive(program, lake); err != nil {
		return err
	}
	took := make([][]time.Duration, len(loads))
	done := make([]int, len(loads)) // partitions of backfills
	phase := 0
	for round := range liveRounds {
		for i := range loads {
			which := (round + i) % len(loads)
			latencies, partitions, err := livePhaseOf(ctx, program, lake, loads[which], phase)
			if err != nil {
				return fmt.Errorf("round %d, beside %s: %w", round, loads[which].text, err)
			}
			took[which] = append(took[which], latencies...)
			done[which] += partitions
			phase++
		}
	}
	t := newTable(fmt.Sprintf("%d rounds of %v each: one row after another is posted, from the answer until it is published", liveRounds, livePhase),
		"beside", "posts", "half ms", "99 % ms", "99 %, nothing = 1", "partitions backfilled a second")
	for i, l := range loads {
		slices.Sort(took[i])
		t.row(l.text, fmt.Sprint(len(took[i])), millis(quantile(took[i], 50)), millis(quantile(took[i], 99)),
			times(quantile(took[i], 99), quantile(took[0], 99)), fmt.Sprintf("%.0f", float64(done[i])/(liveRounds*livePhase).Seconds()))
	}
	return t.end()
}

// quantile is of a sorted list that is not empty.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)-1)*percent/100]
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }

// livePhaseOf measures one phase. Each has an hour of its own to post to, so that no phase
// finds more in it than another.
func livePhaseOf(ctx context.Context, program, lake string, l load, phase int) (latencies []time.Duration, partitions int, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(lake), "live-run-")
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, os.DirFS(lake)); err != nil {
		return nil, 0, err
	}
	if err := writeLiveConfig(dir, l.share, 1); err != nil {
		return nil, 0, err
	}
	request := ""
	if l.backfill {
		if request, err = submitLive(program, dir); err != nil {
			return nil, 0, err
		}
	}
	stream, err := startStream(ctx, program, dir)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, stream.stop()) }()
	if l.worker != nil {
		ignore := func([]byte) {}
		worker, err := start(ctx, append([]string{program}, l.worker...), dir, ignore, ignore)
		if err != nil {
			return nil, 0, err
		}
		defer func() { err = errors.Join(err, worker.stop()) }()
	}
	var end time.Time
	for n := 0; n <= liveWarmup || time.Now().Before(end); n++ {
		if n == liveWarmup {
			end = time.Now().Add(livePhase)
		}
		took, err := stream.post(ctx, sale(livePosts.Add(time.Duration(phase)*time.Hour), n))
		if err != nil {
			return nil, 0, err
		}
		if n >= liveWarmup {
			latencies = append(latencies, took)
		}
		time.Sleep(livePause)
	}
	if l.backfill {
		partitions, err = doneOf(program, dir, request)
	}
	return latencies, partitions, err
}
