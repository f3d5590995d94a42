package conformance

import (
	"slices"
	"testing"

	"strandline/engines"
	"strandline/plans"
)

// failsTwice submits a plan again that failed: what fails for good is tried once more, since
// whoever submits it may have mended what it failed for.
func failsTwice(t *testing.T, h Harness) {
	const days, bad = 4, 2
	p := newPlace(t, h, days, bad)
	e, ref := h.Engine(t, p), p.plan(days, days)
	p.submit(e, ref, engines.Options{Parallel: 1})
	p.ends(e, ref, engines.Failed)
	first := len(p.begun(1))
	p.submit(e, ref, engines.Options{Parallel: 1})
	p.until("the bad day is tried again", func() bool {
		return slices.Contains(p.begunSince(first, 1), days-1-bad) // the newest day is first
	})
	if o := p.ends(e, ref, engines.Failed); o.Failed != 1 || o.Succeeded != 3 {
		t.Errorf("submitted again, it ended as %+v", o)
	}
	p.publishedOnce(3)
}

// anew submits a plan that is done: it is left alone, and with Anew all slices of it are
// worked once more. While they are, that is nothing too.
func anew(t *testing.T, h Harness) {
	const days, parallel = 3, 1
	p := newPlace(t, h, days)
	e, ref := h.Engine(t, p), p.plan(days, days)
	p.submit(e, ref, engines.Options{Parallel: parallel, Anew: true})
	p.ends(e, ref, engines.Done)
	p.submit(e, ref, engines.Options{Parallel: parallel})
	if o := p.ends(e, ref, engines.Done); o.Succeeded != days {
		t.Errorf("submitted once it was done, it is %+v", o)
	}
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: parallel, Anew: true})
	p.active(parallel)
	p.submit(e, ref, engines.Options{Parallel: parallel, Anew: true})
	open()
	if o := p.ends(e, ref, engines.Done); o.Succeeded != days || o.Failed != 0 {
		t.Errorf("submitted anew, it ended as %+v", o)
	}
	if begun := p.begun(parallel); !slices.Equal(begun, []int{0, 1, 2, 0, 1, 2}) {
		t.Errorf("begun were %v, want each slice twice", begun)
	}
	p.publishedOnce(days)
}

// budgetAgain submits a plan again and again that ends at its first failure: each time what has failed before counts no
// more, so that it comes to another failure, and in the end to all that is to be done.
func budgetAgain(t *testing.T, h Harness) {
	const days, bad, parallel = 5, 2, 1
	p := newPlace(t, h, days, days-1, days-3) // the newest day is first
	e, ref := h.Engine(t, p), p.plan(days, days)
	tried := func() int { n := p.progress(ref); return n[plans.Failed] + n[plans.Held] }
	for range bad + 1 {
		before := tried()
		p.submit(e, ref, engines.Options{Parallel: parallel, MaxFailures: 1, Before: before})
		p.ends(e, ref, engines.Failed)
		p.active(0)
		if now := tried(); now != min(before+1, bad) {
			t.Errorf("submitted with %d failures of %d, it ended with %d", before, bad, now)
		}
	}
	p.publishedOnce(days - bad)
}

// leftAlone submits a plan again of which one slice failed, and has that alone begun: the others are known to be done.
func leftAlone(t *testing.T, h Harness) {
	const days, bad, parallel = 4, 1, 1
	p := newPlace(t, h, days, bad)
	e, ref := h.Engine(t, p), p.plan(days, days)
	p.submit(e, ref, engines.Options{Parallel: parallel})
	o := p.ends(e, ref, engines.Failed)
	left := []int{days - 1 - bad}
	if want := []int{0, 1, 3}; o.Well != nil && !slices.Equal(o.Well, want) {
		t.Errorf("run well were %v, want %v", o.Well, want)
	}
	first := len(p.begun(parallel))
	p.submit(e, ref, engines.Options{Parallel: parallel, Left: left})
	p.until("it is tried again", func() bool { return len(p.begunSince(first, parallel)) > 0 })
	if o := p.ends(e, ref, engines.Failed); o.Failed != 1 || o.Succeeded != days-1 {
		t.Errorf("submitted again, it ended as %+v", o)
	}
	if begun := p.begunSince(first, parallel); !slices.Equal(begun, left) {
		t.Errorf("begun were %v, want %v", begun, left)
	}
	p.publishedOnce(days - 1)
}
