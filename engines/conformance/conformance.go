// Package conformance holds an engine to what the seam promises, with the real program and
// a real lake. Every engine passes all of it.
package conformance

import (
	"slices"
	"testing"

	"strandline/engines"
	"strandline/plans"
)

// Harness is how the suite reaches an engine. Whatever works a slice calls Watch.Enter
// before, so that the suite sees it.
type Harness struct {
	// Program runs the program to a good end, and returns its output.
	Program func(t *testing.T, args ...string) string
	// Engine returns an engine that works a place, for as long as the test lasts.
	Engine func(t *testing.T, at *Place) engines.Engine
	// Other returns one that works it at the same time and knows nothing of the first; nil:
	// another of Engine.
	Other func(t *testing.T, at *Place) engines.Engine
	// Kill ends a worker as kill -9 would.
	Kill func(t *testing.T, w Worker)
	// Crash ends a worker as a fault of Go does; nil: no worker is a process of its own.
	Crash func(t *testing.T, w Worker)
	// Config is added to the configuration.
	Config string
	// Parallel says that tests may run at the same time.
	Parallel bool
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	for name, test := range map[string]func(*testing.T, Harness){
		"published once, in order, never more than parallel":  publishes,
		"resized while it runs":                               resizes,
		"a killed worker's slice is done by another":          kills,
		"a slice whose worker dies of a fault is tried again": crashes,
		"submitted twice":                                     submitsTwice,
		"cancelled, and submitted again":                      cancels,
		"paused and resumed":                                  pauses,
		"failed slices stop no others":                        failures,
		"failed slices are as many as the budget":             budget,
		"a spent budget is had anew when submitted again":     budgetAgain,
		"what is left alone is begun again":                   leftAlone,
		"two engines on one range":                            twoEngines,
		"resized to fewer":                                    resizesDown,
		"failed, and submitted again":                         failsTwice,
		"done, and submitted anew":                            anew,
		"in other slices":                                     differs,
		"asked before, and cancelled when it is over":         readyAndOver,
		"a plan that nobody knows":                            unknown,
		"a plan of other code":                                refuses,
	} {
		t.Run(name, func(t *testing.T) {
			if h.Parallel {
				t.Parallel()
			}
			test(t, h)
		})
	}
}

// submit has an engine work a plan, which it observes under the name that it was submitted by.
func (p *Place) submit(e engines.Engine, ref engines.Ref, o engines.Options) {
	p.t.Helper()
	work, err := e.Submit(p.t.Context(), ref, o)
	p.must(err)
	seen, err := e.Observe(p.t.Context(), ref.Plan)
	p.must(err)
	if seen.Work != work {
		p.t.Errorf("it was submitted as %q, and is observed as %q", work, seen.Work)
	}
}

// hold keeps workers from working until open is called, or the test has ended.
func (p *Place) hold() (open func()) {
	p.t.Helper()
	open, err := p.Watch.hold()
	p.must(err)
	p.t.Cleanup(open)
	return open
}

func publishes(t *testing.T, h Harness) {
	const days, parallel = 12, 3
	p := newPlace(t, h, days)
	e, ref := h.Engine(t, p), p.plan(days, 6)
	p.submit(e, ref, engines.Options{Parallel: parallel})
	if o := p.ends(e, ref, engines.Done); o.Succeeded != 6 || o.Failed != 0 {
		t.Errorf("ended as %+v", o)
	}
	p.publishedOnce(days)
	begun := p.begun(parallel)
	for at, slice := range begun {
		if slice > at+parallel-1 {
			t.Errorf("begun were %v: slice %d before those ahead of it", begun, slice)
		}
	}
}

func resizes(t *testing.T, h Harness) {
	p := newPlace(t, h, 6)
	e, ref := h.Engine(t, p), p.plan(6, 6)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: 1})
	p.active(1)
	p.must(e.Resize(t.Context(), ref.Plan, 3))
	p.active(3)
	open()
	p.ends(e, ref, engines.Done)
	p.publishedOnce(6)
	p.begun(3)
}

func resizesDown(t *testing.T, h Harness) {
	const before, after = 3, 1
	p := newPlace(t, h, 6)
	e, ref := h.Engine(t, p), p.plan(6, 6)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: before})
	p.active(before)
	p.must(e.Resize(t.Context(), ref.Plan, after))
	if o, err := e.Observe(t.Context(), ref.Plan); err != nil || o.Parallel != after {
		t.Errorf("resized, it is %+v, %v", o, err)
	}
	open()
	p.ends(e, ref, engines.Done)
	p.publishedOnce(6)
	// Those that were at work may have ended, or been given up and begun again.
	p.begunSince(before, after)
}

func kills(t *testing.T, h Harness) {
	const parallel = 2
	p := newPlace(t, h, 8)
	e, ref := h.Engine(t, p), p.plan(8, 4)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: parallel})
	workers := p.active(parallel)
	h.Kill(t, workers[0])
	open()
	h.Kill(t, workers[1]) // wherever it is by now
	p.ends(e, ref, engines.Done)
	p.publishedOnce(8)
	if begun := p.begun(parallel); len(begun) < 5 {
		t.Errorf("begun were %v: nobody did the work of who was killed", begun)
	}
}

func crashes(t *testing.T, h Harness) {
	if h.Crash == nil {
		t.Skip("no worker of the engine can crash alone")
	}
	p := newPlace(t, h, 4)
	e, ref := h.Engine(t, p), p.plan(4, 4)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: 1})
	h.Crash(t, p.active(1)[0])
	open()
	if o := p.ends(e, ref, engines.Done); o.Failed != 0 {
		t.Errorf("ended as %+v", o)
	}
	p.publishedOnce(4)
	if begun := p.begun(1); len(begun) != 5 {
		t.Errorf("begun were %v, want one slice twice", begun)
	}
}

func submitsTwice(t *testing.T, h Harness) {
	p := newPlace(t, h, 4)
	e, ref := h.Engine(t, p), p.plan(4, 2)
	if again := p.plan(4, 2); again != ref {
		t.Errorf("planned again, it is %s, was %s", again.Plan, ref.Plan)
	}
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: 1})
	p.active(1)
	p.submit(e, ref, engines.Options{Parallel: 1})
	open()
	p.ends(e, ref, engines.Done)
	p.submit(e, ref, engines.Options{Parallel: 1})
	p.ends(e, ref, engines.Done)
	p.publishedOnce(4)
	if begun := p.begun(1); !slices.Equal(begun, []int{0, 1}) {
		t.Errorf("begun were %v, want each slice once", begun)
	}
}

func cancels(t *testing.T, h Harness) {
	const parallel = 2
	p := newPlace(t, h, 8)
	e, ref := h.Engine(t, p), p.plan(8, 8)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: parallel})
	p.active(parallel)
	p.must(e.Cancel(t.Context(), ref.Plan))
	open()
	p.active(0)
	if o, err := e.Observe(t.Context(), ref.Plan); err == nil && o.State != engines.Cancelled {
		t.Errorf("cancelled, it is %+v", o)
	}
	if done := p.progress(ref)[plans.Done]; done > parallel || len(p.begun(parallel)) > parallel {
		t.Errorf("cancelled, and %d partitions were published; begun were %v", done, p.begun(parallel))
	}
	p.submit(e, ref, engines.Options{Parallel: parallel})
	p.ends(e, ref, engines.Done)
	p.publishedOnce(8)
	p.begun(parallel)
}

func pauses(t *testing.T, h Harness) {
	const parallel = 2
	p := newPlace(t, h, 6)
	e, ref := h.Engine(t, p), p.plan(6, 6)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: parallel})
	p.active(parallel)
	p.must(e.Pause(t.Context(), ref.Plan))
	open()
	p.active(0)
	if n := len(p.begun(parallel)); n != parallel {
		t.Errorf("paused, and %d slices were begun", n)
	}
	if o, err := e.Observe(t.Context(), ref.Plan); err != nil || o.State != engines.Paused {
		t.Errorf("paused, it is %+v, %v", o, err)
	}
	p.must(e.Resume(t.Context(), ref.Plan))
	p.ends(e, ref, engines.Done)
	p.publishedOnce(6)
	p.begun(parallel)
}

func failures(t *testing.T, h Harness) {
	p := newPlace(t, h, 4, 2)
	e, ref := h.Engine(t, p), p.plan(4, 4)
	p.submit(e, ref, engines.Options{Parallel: 1})
	if o := p.ends(e, ref, engines.Failed); o.Succeeded != 3 || o.Failed != 1 {
		t.Errorf("ended as %+v", o)
	}
	p.publishedOnce(3)
	if count := p.progress(ref); count[plans.Done] != 3 || count[plans.Failed] != 1 {
		t.Errorf("progress is %v", count)
	}
	if begun := p.begun(1); len(begun) != 4 {
		t.Errorf("begun were %v: what failed for good is not tried again", begun)
	}
}

func budget(t *testing.T, h Harness) {
	const most = 2
	p := newPlace(t, h, 8, 0, 1, 2, 3, 4, 5, 6, 7)
	e, ref := h.Engine(t, p), p.plan(8, 8)
	p.submit(e, ref, engines.Options{Parallel: 1, MaxFailures: most})
	p.ends(e, ref, engines.Failed)
	p.active(0)
	// An engine may have begun another before it was told of the last failure.
	if begun := p.begun(1); len(begun) < most || len(begun) > most+1 {
		t.Errorf("begun were %v, and %d may fail", begun, most)
	}
	p.publishedOnce(0)
}

func twoEngines(t *testing.T, h Harness) {
	const parallel = 2
	other := h.Other
	if other == nil {
		other = h.Engine
	}
	p := newPlace(t, h, 8)
	first, second, ref := h.Engine(t, p), other(t, p), p.plan(8, 4)
	open := p.hold()
	p.submit(first, ref, engines.Options{Parallel: parallel})
	p.submit(second, ref, engines.Options{Parallel: parallel})
	p.active(2 * parallel)
	open()
	p.ends(first, ref, engines.Done)
	p.ends(second, ref, engines.Done)
	p.publishedOnce(8)
	p.begun(2 * parallel)
}
