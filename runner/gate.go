package runner

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Gate hands out the slots of one process, in each of which one partition is computed
// at a time. The stream comes first, and backfills get what it leaves:
//
//   - No partition of a backfill begins while one of the stream waits, but for the last rule.
//   - While the stream is active, backfills have at most their share of the slots. It is so
//     until it has not asked for a slot in a minute; then they may have all.
//   - A partition that runs is never broken off, so the stream waits for a slot as long
//     as one of those that run takes, and where share leaves a slot free, not at all.
//   - A backfill that waits, or asked for room and got none, and has nothing running, is let in
//     after eight partitions of the stream, so that a stream that never rests does not keep it
//     waiting for ever.
//
// It is safe for concurrent use.
type Gate struct {
	slots, share int
	now          func() time.Time

	mu      sync.Mutex
	running [claimants]int
	waiting [claimants][]chan struct{} // in the order in which they came
	passed  int                        // partitions of the stream since a backfill, with nothing running, waits or wants room
	wanted  bool                       // a backfill asked for room and got none, and none has begun since
	active  time.Time                  // when the stream last asked for a slot, or gave one back
}

// NewGate returns a gate of that many slots, at least 1, of which backfills have at most
// share while the stream is active: at least 1 and at most all. now is the clock that
// tells how long the stream rests.
func NewGate(slots, share int, now func() time.Time) *Gate {
	slots = max(1, slots)
	return &Gate{slots: slots, share: max(1, min(share, slots)), now: now, active: now()}
}

// claimant is who asks for a slot.
type claimant int

const (
	forStream claimant = iota
	forBackfill
	claimants
)

const (
	// rest is how long the stream has asked for nothing when it is not active any more.
	rest = time.Minute
	// patience is how many partitions of the stream go before a backfill that waits.
	patience = 8
)

// Slots are those that one of the two gets from a gate. The zero Slots are without bound.
type Slots struct {
	gate *Gate
	who  claimant
}

// Stream returns the slots of the stream. Those of a nil gate are without bound.
func (g *Gate) Stream() Slots { return Slots{g, forStream} }

// Backfill returns the slots of backfills. Those of a nil gate are without bound.
func (g *Gate) Backfill() Slots { return Slots{g, forBackfill} }

// Take waits for a slot. The caller gives it back by calling done, once. The error is
// that of ctx.
func (s Slots) Take(ctx context.Context) (done func(), err error) {
	if s.gate == nil {
		return func() {}, ctx.Err()
	}
	if err := s.gate.take(ctx, s.who, false, nil); err != nil {
		return nil, err
	}
	return func() { s.gate.give(s.who) }, nil
}

// Room is for backfills that are cut into slices: how many of these may be under way in this
// process now, so that each finds a slot. It is what the stream leaves, of their share while it is
// active, and one where the stream has gone before for long. Zero Slots have room without bound.
func (s Slots) Room() int {
	if s.gate == nil {
		return math.MaxInt
	}
	return s.gate.room()
}

func (g *Gate) room() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := max(0, min(g.most(), g.slots-g.running[forStream]-len(g.waiting[forStream])))
	if n == 0 && g.passed >= patience {
		n = 1
	}
	g.wanted = g.wanted || n == 0
	return n
}

// worker is one that computes partitions one after another, in slots.
type worker struct {
	Slots
	enough <-chan struct{} // see Options
	held   bool
}

// next waits for the slot of the next partition. A worker of the stream has kept the
// last one's until now, so that no backfill comes between two partitions of a trigger. It is
// ErrEnough if no other partition is to begin.
func (w *worker) next(ctx context.Context) error {
	if isClosed(w.enough) {
		return ErrEnough
	}
	if w.gate == nil {
		return nil
	}
	err := w.gate.take(ctx, w.who, w.held, w.enough)
	w.held = err == nil
	return err
}

// did ends the computing of a partition. A backfill gives the slot back at once: results
// wait for one another, some or all, and need slots to come about.
func (w *worker) did() {
	if w.who == forBackfill {
		w.end()
	}
}

// end gives the slot back, if one is held.
func (w *worker) end() {
	if w.held {
		w.held = false
		w.gate.give(w.who)
	}
}

// take waits for a slot, or until there is enough; again gives one back in the same step, also if
// it errs.
func (g *Gate) take(ctx context.Context, who claimant, again bool, enough <-chan struct{}) error {
	turn := make(chan struct{})
	g.mu.Lock()
	g.waiting[who] = append(g.waiting[who], turn)
	if again {
		g.running[who]--
	}
	g.touch(who)
	g.handOut()
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		g.leave(who, turn)
		return ctx.Err()
	case <-enough:
		g.leave(who, turn)
		return ErrEnough
	}
}

// leave gives up waiting, or the slot that was handed out meanwhile.
func (g *Gate) leave(who claimant, turn chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.waiting[who], turn); i >= 0 {
		g.waiting[who] = slices.Delete(g.waiting[who], i, i+1)
	} else {
		g.running[who]--
	}
	g.handOut()
}

func (g *Gate) give(who claimant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[who]--
	g.touch(who)
	g.handOut()
}

func (g *Gate) touch(who claimant) {
	if who == forStream {
		g.active = g.now()
	}
}

// handOut gives free slots to who is next. Whatever changes who that is calls it: nobody
// waits for the minute's end alone, since while backfills wait with slots free some of
// theirs run.
func (g *Gate) handOut() {
	for g.running[forStream]+g.running[forBackfill] < g.slots {
		who, any := g.next()
		if !any {
			return
		}
		close(g.waiting[who][0])
		g.waiting[who] = g.waiting[who][1:]
		g.running[who]++
		g.count(who)
	}
}

// next tells who gets a slot that is free.
func (g *Gate) next() (who claimant, any bool) {
	stream := len(g.waiting[forStream]) > 0
	starved := g.running[forBackfill] == 0 && g.passed >= patience
	backfill := len(g.waiting[forBackfill]) > 0 && g.running[forBackfill] < g.most()
	switch {
	case backfill && (!stream || starved):
		return forBackfill, true
	case stream:
		return forStream, true
	}
	return 0, false
}

// most is how many slots backfills may have now.
func (g *Gate) most() int {
	resting := g.running[forStream] == 0 && len(g.waiting[forStream]) == 0
	if resting && g.now().Sub(g.active) >= rest {
		return g.slots
	}
	return g.share
}

// count counts who began.
func (g *Gate) count(who claimant) {
	switch {
	case who == forBackfill:
		g.passed, g.wanted = 0, false
	case len(g.waiting[forBackfill]) == 0 && !g.wanted || g.running[forBackfill] > 0:
		g.passed = 0
	default:
		g.passed++
	}
}
