package conformance

import (
	"slices"
	"testing"

	"strandline/engines"
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
