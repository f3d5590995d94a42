package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/runner"
	"strandline/window"
)

// event is one thing that is started in a history. All that it does follows
// from the seed and its id, so that a history can be lived without it.
type event struct {
	id   int
	gap  time.Duration // after the event before it
	kind string
	w    weather
}

// kinds of events, as often as they are listed.
var kinds = []string{
	"land", "land", "land", "land", "post", "post", "poll", "poll", "land again",
	"stream", "stream", "once", "once", "backfill", "backfill", "recompute", "replay",
	"rollback", "rollback", "release", "drop", "rebuild", "deploy",
	"sweep", "sweep", "compact",
}

// duel are the kinds of every tenth history: people roll back what the stream
// is publishing, at the same moment.
var duel = []string{"land", "land", "once", "once", "rollback", "rollback"}

// upkeep are the kinds of another tenth: sweeps that meet, and die, and are gone on
// with by the next.
var upkeep = []string{"land", "post", "poll", "once", "once", "rollback", "compact", "clean", "clean", "clean"}

// events are the history of a seed.
func events(seed uint64, steps int) []event {
	all := make([]event, steps)
	kinds, gaps := kinds, []time.Duration{300 * time.Millisecond, 20 * time.Second}
	weathers := []weather{calm, rain, rain, storm}
	switch seed % 10 {
	case 0:
		kinds, gaps = duel, []time.Duration{30 * time.Millisecond, 2 * time.Second}
	case 5:
		kinds, weathers = upkeep, []weather{calm, rain, storm}
	}
	for i := range all {
		random := draw("event", seed, i+1)
		all[i] = event{
			id: i + 1, gap: 2*time.Millisecond + duration(random, gaps[random.IntN(2)]),
			kind: kinds[random.IntN(len(kinds))], w: weathers[random.IntN(len(weathers))],
		}
	}
	return all
}

func (e event) String() string {
	return fmt.Sprintf("%d: %s, faults %v, %v after the one before", e.id, e.kind, e.w, e.gap.Round(time.Millisecond))
}

// live lets a process of its own do what the event says.
func (w *world) live(e event) {
	random := draw("live", w.seed, e.id)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say(fmt.Sprintf("p%-3d starts: %s (%s)", e.id, e.kind, w.code.name))
	if e.kind == "deploy" {
		w.code = codes[[]int{0, 1, 0, 1, 2}[random.IntN(5)]]
		e.kind = []string{"stream", "rebuild"}[random.IntN(2)]
	}
	code := w.code
	if random.IntN(4) == 0 {
		code = code.strict
	}
	p, err := w.newProcess(e.id, e.w, code)
	if err != nil {
		w.must(err)
		return
	}
	w.model.strict[p.String()] = code == w.code.strict
	act := w.action(p, e, random)
	w.alive.Go(func() {
		defer p.cancel()
		w.ends(p, e, act())
	})
}

func (w *world) action(p *process, e event, random *rand.Rand) func() error {
	switch e.kind {
	case "poll":
		n := 1 + random.Int64N(6)
		return func() error { return p.polls(n) }
	case "land", "post", "land again":
		c := w.content(e, random)
		return func() error { return p.lands(c) }
	case "stream":
		end := p.kill
		if random.IntN(2) == 0 {
			end = p.cancel
		}
		time.AfterFunc(p.at("end", duration(random, 2*time.Minute)), end)
		return func() error { return p.streams(false) }
	case "once":
		return func() error { return p.streams(true) }
	case "sweep":
		grace := []time.Duration{0, 0, time.Minute, time.Hour}[random.IntN(4)]
		keep := manifests.Retention{Versions: random.Uint64N(6), Age: duration(random, 2*time.Minute)}
		return func() error { return p.sweeps(grace, keep) }
	case "clean": // all that can go, so that dying in the middle leaves something
		return func() error { return p.sweeps(0, manifests.Retention{Versions: 1}) }
	case "compact":
		return p.compacts
	case "replay":
		from := landing.Position(random.Int64N(int64(w.model.next()) + 1))
		return func() error { return p.executes(runner.Request{Driver: manifests.DriverReplay, From: from}) }
	case "rebuild":
		return func() error { return p.executes(runner.Request{Driver: manifests.DriverBackfill, Rebuild: true}) }
	case "backfill", "recompute":
		r := runner.Request{Driver: manifests.DriverBackfill, Range: someDays(random), Again: e.kind == "recompute"}
		return func() error { return p.executes(r) }
	}
	return w.edit(p, e, random)
}

func someDays(random *rand.Rand) window.Interval {
	from := random.IntN(3)
	to := from + 1 + random.IntN(3-from)
	return window.Interval{Start: firstDay.AddDate(0, 0, from), End: firstDay.AddDate(0, 0, to)}
}

// content is what arrives: something new, or something that arrived before.
func (w *world) content(e event, random *rand.Rand) *content {
	if e.kind == "land again" && len(w.contents) > 0 {
		return w.contents[random.IntN(len(w.contents))]
	}
	c := newContent(random, fmt.Sprintf("%s%d", e.kind, e.id))
	c.posted = e.kind == "post"
	w.contents = append(w.contents, c)
	w.model.contents[c.identity] = c
	return c
}

// edit is what a person does by hand.
func (w *world) edit(p *process, e event, random *rand.Rand) func() error {
	pick := random.IntN(1 << 20)
	return func() error {
		return p.edits(func(t *manifests.Table, s *manifests.Snapshot) (manifests.Version, error) {
			held := s.Candidates()
			switch {
			case e.kind == "rollback":
				return publish.Rollback(p.ctx, door{p}, t, manifests.Version(pick%(int(s.Version)+1)))
			case len(held) == 0:
				return 0, nil
			case e.kind == "release":
				return publish.Release(p.ctx, door{p}, t, p.dir, held[pick%len(held)].Receipt.Partition)
			}
			return t.Drop(p.ctx, []string{held[pick%len(held)].Receipt.Partition})
		})
	}
}
