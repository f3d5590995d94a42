package requests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"strandline/internal/log"
	"strandline/plans"
)

// desk is what one worker knows and decides. It starts nothing and waits for nothing, and
// is not safe for concurrent use.
//
// It goes by the state of the log alone: what it holds is what the log says it holds. So it
// does not matter whether it ever learnt what became of an entry of its own.
type desk struct {
	name  string
	lease time.Duration
	slots int              // slices that it runs at a time; 0 once it is leaving
	room  func() int       // of these, how many it may have now if it wants another
	now   func() time.Time // a clock that only goes on

	runs     map[held]*run
	verdicts map[plans.ID]verdict
	seen     map[string]sighting // the other workers
	after    map[part]time.Time  // when to begin with a slice again
	damaged  map[part]error      // what a person has to mend first, as the last try of a slice has met it
	last     time.Time           // when it last entered something
	missed   []string            // the workers whose slices it has just set free, to be told of
	machine  machine
	crowded  time.Time // since when it has had more slices than room; zero if it has not
}

func newDesk(name string, lease time.Duration, slots int, now func() time.Time) *desk {
	return &desk{
		name: name, lease: lease, slots: slots, now: now, room: func() int { return slots },
		runs: map[held]*run{}, verdicts: map[plans.ID]verdict{}, seen: map[string]sighting{}, after: map[part]time.Time{}, damaged: map[part]error{},
	}
}

// enter puts into the log what the desk decides by its newest state. Where it is not known
// what became of the entry, the log tells when it is read next.
func (d *desk) enter(ctx context.Context, q *Queue) error {
	begun := d.now()
	said := false
	var lost []string
	_, err := q.commit(ctx, func(s *State) (*change, error) {
		t := d.decide(s)
		if said = t != nil; !said {
			return nil, nil
		}
		lost = t.Lost
		return &change{Turn: t}, nil
	})
	if err == nil && said {
		d.last, d.missed = begun, append(d.missed, lost...)
	}
	return err
}

// verdict is whether a worker can run slices of a request, as that was when it was judged.
type verdict struct {
	Verdict
	at time.Time
	of uint64 // Request.Changed
}

// run is a slice that the worker runs.
type run struct {
	cancel  func()
	enough  chan struct{} // closed once eased
	eased   bool          // it is to end before its end, for want of room
	stopped bool          // it was cancelled from here
	told    bool          // what came of it is, or may be, in the log
	result  *Result       // once it has ended
	of      uint64        // Request.Changed when it began
}

// sighting is the latest sign of a worker, and when it was first seen.
type sighting struct {
	entry uint64
	at    time.Time
	again bool // it came after another that was seen, and so while this worker watched
}

// renewals is how many times a worker shows that it lives while its lease lasts.
const renewals = 3

// decide says what the worker enters in the log now; nil if it has nothing to say.
func (d *desk) decide(s *State) *turn {
	now := d.now()
	maps.DeleteFunc(d.after, func(_ part, at time.Time) bool { return !now.Before(at) })
	t := &turn{Worker: d.name, LeaseMS: d.lease.Milliseconds(), Lost: d.lost(s, now)}
	kept, busy := d.handIn(s, t, now)
	d.judge(s, t)
	d.claim(s, t, busy, now)
	idle := len(t.Lost)+len(t.Finished)+len(t.Released)+len(t.Broken)+len(t.Claimed) == 0
	if idle && (kept == 0 || now.Sub(d.last) < d.lease/renewals) {
		return nil
	}
	return t
}

// lost lists the workers that gave no sign for their lease.
func (d *desk) lost(s *State, now time.Time) (lost []string) {
	seen := make(map[string]sighting, len(s.signs))
	for worker, sign := range s.signs {
		if worker == d.name {
			continue
		}
		last, known := d.seen[worker]
		if !known || last.entry != sign.Entry {
			last = sighting{sign.Entry, now, known}
		}
		if seen[worker] = last; now.Sub(last.at) >= sign.Lease() {
			lost = append(lost, worker)
		}
	}
	d.seen = seen
	slices.Sort(lost)
	return lost
}

// handIn says what came of the slices that the worker holds. It returns how many it
// keeps, and how many of its slots are busy.
func (d *desk) handIn(s *State, t *turn, now time.Time) (kept, busy int) {
	for _, run := range d.runs {
		if run.result == nil {
			busy++
		}
	}
	for _, h := range d.holds(s) {
		r, run := s.requests[h.Plan], d.runs[h]
		switch {
		case run == nil && r.wants() && busy < d.slots && d.machine.why == nil:
			kept++ // to be begun: the log has it, though we were never told
			busy++
		case run == nil:
			t.Released = append(t.Released, released{held: h})
		case run.result == nil:
			kept++
		case run.result.Err == nil:
			t.Finished = append(t.Finished, finished{h, run.result.toll()})
		default:
			d.giveBack(h, r, run, t, now)
		}
		if run != nil {
			run.told = run.result != nil
			d.note(h, run)
		}
	}
	return kept, busy
}

// giveBack says of a slice that it was not run to its end.
func (d *desk) giveBack(h held, r *Request, run *run, t *turn, now time.Time) {
	back := released{held: h}
	never := run.result.Never && run.of == r.Changed // else another try tells whether it still is so
	switch {
	case run.stopped, run.eased, never, !r.wants():
	case run.result.Damage:
		d.after[h.part] = now.Add(judgeAgain)
	case run.result.Machine:
		back.Trouble, back.Machine = run.result.reason(), true
		d.after[h.part] = now.Add(judgeAgain)
	default:
		back.Trouble, back.toll = run.result.reason(), run.result.toll()
		d.after[h.part] = now.Add(time.Second << min(r.Tries[h.Slice], maxTries))
	}
	t.Released = append(t.Released, back)
	if never {
		t.end(r, run.result.reason())
	}
}

// note keeps what damage the run of a slice has met, if it has ended.
func (d *desk) note(h held, run *run) {
	switch {
	case run.result == nil:
	case run.result.Damage:
		d.damaged[h.part] = run.result.Err
	default:
		delete(d.damaged, h.part)
	}
}

// knows tells whether another try of the request has met the same damage.
func (d *desk) knows(plan plans.ID, damage error) bool {
	for p, err := range d.damaged {
		if p.Plan == plan && err.Error() == damage.Error() {
			return true
		}
	}
	return false
}

// end says of a request that it can't be carried out.
func (t *turn) end(r *Request, why string) {
	if !r.Ended() && !slices.ContainsFunc(t.Broken, func(b broken) bool { return b.Plan == r.Plan }) {
		t.Broken = append(t.Broken, broken{r.Plan, why})
	}
}

// judge ends the requests that nobody can carry out.
func (d *desk) judge(s *State, t *turn) {
	for _, r := range s.inTurn() {
		if v := d.verdicts[r.Plan]; v.Never != "" && v.of == r.Changed && r.wants() {
			t.end(r, v.Never)
		}
	}
}

// holds lists what the worker holds by the log, in the order in which it was claimed.
func (d *desk) holds(s *State) (all []held) {
	for _, r := range s.requests {
		for slice, c := range r.Claims {
			if c.Worker == d.name {
				all = append(all, held{part{r.Plan, slice}, c.Entry})
			}
		}
	}
	inOrder(all)
	return all
}

// inOrder sorts by when it was claimed, and what was claimed at once in the plan's order.
func inOrder(all []held) {
	slices.SortFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Plan.String(), b.Plan.String()), cmp.Compare(a.Slice, b.Slice))
	})
}

// claim takes slices for the slots that are not busy, and no more than it has room for: others
// may have it for what would only wait here.
func (d *desk) claim(s *State, t *turn, busy int, now time.Time) {
	if busy >= d.slots || d.machine.why != nil {
		return
	}
	free := d.free(s, t, now)
	if len(free) == 0 {
		return
	}
	t.Claimed = free[:min(len(free), max(0, min(d.slots, d.room())-busy))]
}

// free lists what the worker could claim, the next first, as the state will be when the turn so
// far is folded in.
func (d *desk) free(s *State, t *turn, now time.Time) (free []part) {
	next := newDraft(s)
	if t.fold(next, log.Entry{}) != nil {
		return nil // then it is not entered, and why is told
	}
	for _, listed := range s.inTurn() {
		r := next.find(listed.Plan)
		if !r.wants() || !d.verdicts[r.Plan].Accepts {
			continue
		}
		for _, slice := range r.free(func(slice int) bool { return !now.Before(d.after[part{r.Plan, slice}]) }) {
			free = append(free, part{r.Plan, slice})
		}
	}
	return free
}

// begins lists the slices to be begun, and stops what the worker does not hold any more, or
// should not go on with. Of what it ran, those are lost that were taken from it.
func (d *desk) begins(s *State) (begin, lost []held) {
	holds := map[held]bool{}
	for _, h := range d.holds(s) {
		holds[h] = true
		if d.runs[h] == nil && s.requests[h.Plan].wants() {
			begin = append(begin, h)
		}
	}
	for h, run := range d.runs {
		if !holds[h] && !run.stopped && !run.told && h.lost(s) {
			lost = append(lost, h)
		}
		if !run.stopped && !(holds[h] && s.requests[h.Plan].wants()) {
			run.stopped = true
			run.cancel()
		}
		if !holds[h] && run.result != nil {
			delete(d.runs, h)
		}
	}
	return begin[:min(len(begin), max(0, d.slots-len(d.runs)))], lost
}

// lost tells whether a claim that is not in the log any more was taken from its worker. It
// was not where its request is not listed any more, or was submitted to another engine.
func (h held) lost(s *State) bool {
	r := s.requests[h.Plan]
	if r == nil || r.On != "" {
		return false
	}
	_, claimed := r.Claims[h.Slice]
	return claimed || r.Entry < h.Entry
}

// ease has the slices that were claimed last end before their end, so that others may have them, where
// there has been no room for them for a while. One goes on in any case.
func (d *desk) ease() {
	var going []held
	for h, run := range d.runs {
		if run.result == nil && !run.stopped && !run.eased {
			going = append(going, h)
		}
	}
	most := len(going)
	if most > 1 {
		most = max(1, d.room())
	}
	now := d.now()
	switch {
	case len(going) <= most:
		d.crowded = time.Time{}
	case d.crowded.IsZero():
		d.crowded = now
	case now.Sub(d.crowded) >= easeAfter:
		inOrder(going)
		for _, h := range going[most:] {
			d.runs[h].eased = true
			close(d.runs[h].enough)
		}
	}
}

// easeAfter is for what time there must have been no room for slices: longer than what lands now and
// then takes.
const easeAfter = 5 * time.Second

// unjudged lists the requests that want workers, and of which it was not asked, or not for a
// while, whether this one can do anything for them.
func (d *desk) unjudged(s *State) (all []*Request) {
	over := func(id plans.ID) bool { return !s.Has(id) || !s.requests[id].wants() }
	maps.DeleteFunc(d.verdicts, func(id plans.ID, _ verdict) bool { return over(id) })
	maps.DeleteFunc(d.damaged, func(p part, _ error) bool { return over(p.Plan) })
	old := d.now().Add(-judgeAgain)
	for _, r := range s.inTurn() {
		v, known := d.verdicts[r.Plan]
		if r.wants() && (!known || v.of != r.Changed || !v.Accepts && v.at.Before(old)) {
			all = append(all, r.clone())
		}
	}
	return all
}

// damage is what keeps everybody from requests that want workers, each once.
func (d *desk) damage() (err error) {
	waiting := map[string][]string{} // the requests, by what they wait for
	var order []error
	add := func(plan plans.ID, damage error) {
		text := damage.Error()
		if waiting[text] == nil {
			order = append(order, damage)
		}
		if !slices.Contains(waiting[text], plan.Short()) {
			waiting[text] = append(waiting[text], plan.Short())
		}
	}
	byID := func(a, b plans.ID) int { return cmp.Compare(a.String(), b.String()) }
	for _, plan := range slices.SortedFunc(maps.Keys(d.verdicts), byID) {
		if v := d.verdicts[plan]; v.Damage != nil {
			add(plan, v.Damage)
		}
	}
	bySlice := func(a, b part) int { return cmp.Or(byID(a.Plan, b.Plan), cmp.Compare(a.Slice, b.Slice)) }
	for _, p := range slices.SortedFunc(maps.Keys(d.damaged), bySlice) {
		add(p.Plan, d.damaged[p])
	}
	for _, damage := range order {
		err = errors.Join(err, fmt.Errorf("waiting until this is mended, request %s: %w", strings.Join(waiting[damage.Error()], ", "), damage))
	}
	return err
}

// judgeAgain is after what time a worker looks again at what it could not run.
const judgeAgain = time.Minute

// idle tells whether the worker holds nothing, and there is nothing for it to claim, now or in a
// while, also from workers that may have died.
func (d *desk) idle(s *State) bool {
	if len(d.runs) > 0 || len(d.holds(s)) > 0 {
		return false
	}
	if d.machine.why != nil {
		return d.machine.stuck()
	}
	for _, r := range s.requests {
		whole := func(slice int) bool { return d.damaged[part{r.Plan, slice}] == nil }
		if !r.wants() || !d.verdicts[r.Plan].Accepts {
			continue
		}
		if len(r.Claims) < r.Parallel && len(r.free(whole)) > 0 || d.doubts(s, r) {
			return false
		}
	}
	return true
}

// doubts tells whether slices of a request are claimed by a worker that may have died: one that gave no sign
// while this one watched, or none when two were due. In its lease it gives another, or is lost.
func (d *desk) doubts(s *State, r *Request) bool {
	for _, claim := range r.Claims {
		last := d.seen[claim.Worker]
		if sign := s.signs[claim.Worker]; !last.again || d.now().Sub(last.at) > 2*sign.Lease()/renewals {
			return true
		}
	}
	return false
}
