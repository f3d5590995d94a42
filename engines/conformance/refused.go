package conformance

import (
	"errors"
	"os"
	"strings"
	"testing"

	"strandline/engines"
)

// differs submits a plan that is being worked in other slices: it is told, and goes on as
// it was.
func differs(t *testing.T, h Harness) {
	p := newPlace(t, h, 4)
	e, ref := h.Engine(t, p), p.plan(4, 4)
	open := p.hold()
	p.submit(e, ref, engines.Options{Parallel: 1})
	p.active(1)
	other := engines.Ref{Plan: ref.Plan, Slices: 2}
	_, submitted := e.Submit(t.Context(), other, engines.Options{Parallel: 1})
	_, anew := e.Submit(t.Context(), other, engines.Options{Parallel: 1, Anew: true})
	for what, err := range map[string]error{
		"asked":          e.Ready(t.Context(), other, engines.Options{Parallel: 1}),
		"submitted":      submitted,
		"submitted anew": anew,
	} {
		if !errors.Is(err, engines.ErrDiffers) {
			t.Errorf("%s in other slices: got %v", what, err)
		}
	}
	open()
	if o := p.ends(e, ref, engines.Done); o.Succeeded != 4 {
		t.Errorf("ended as %+v", o)
	}
	if begun := p.begun(1); len(begun) != 4 {
		t.Errorf("begun were %v, want each of 4 slices once", begun)
	}
	p.publishedOnce(4)
}

// readyAndOver asks whether a plan would be taken, which begins nothing, and cancels it when
// it is done, which changes nothing.
func readyAndOver(t *testing.T, h Harness) {
	p := newPlace(t, h, 2)
	e, ref, o := h.Engine(t, p), p.plan(2, 2), engines.Options{Parallel: 1}
	p.must(e.Ready(t.Context(), ref, o))
	if _, err := e.Observe(t.Context(), ref.Plan); !errors.Is(err, engines.ErrUnknown) {
		t.Errorf("asked before it was submitted, it is known: %v", err)
	}
	p.submit(e, ref, o)
	p.ends(e, ref, engines.Done)
	p.must(e.Ready(t.Context(), ref, o))
	p.must(e.Cancel(t.Context(), ref.Plan))
	if o, err := e.Observe(t.Context(), ref.Plan); err != nil || o.State != engines.Done || o.Succeeded != 2 {
		t.Errorf("cancelled when it was done, it is %+v, %v", o, err)
	}
	p.submit(e, ref, o)
	p.ends(e, ref, engines.Done)
	if begun := p.begun(1); len(begun) != 2 {
		t.Errorf("begun were %v, want each of 2 slices once", begun)
	}
	p.publishedOnce(2)
}

// unknown asks for a plan that lies in the lake, and nobody submitted.
func unknown(t *testing.T, h Harness) {
	p := newPlace(t, h, 1)
	e, plan, ctx := h.Engine(t, p), p.plan(1, 1).Plan, t.Context()
	_, observed := e.Observe(ctx, plan)
	for verb, err := range map[string]error{
		"observe": observed, "resize": e.Resize(ctx, plan, 2), "pause": e.Pause(ctx, plan), "resume": e.Resume(ctx, plan), "cancel": e.Cancel(ctx, plan),
	} {
		if !errors.Is(err, engines.ErrUnknown) {
			t.Errorf("%s: got %v", verb, err)
		}
	}
	if begun := p.begun(0); len(begun) > 0 {
		t.Errorf("begun were %v", begun)
	}
}

// refuses submits a plan whose code the table and the workers have no more: every slice
// would end so, and no second one is begun.
func refuses(t *testing.T, h Harness) {
	p := newPlace(t, h, 4)
	ref := p.plan(4, 4)
	text, err := os.ReadFile(p.Config)
	p.must(err)
	p.must(os.WriteFile(p.Config, []byte(strings.Replace(string(text), "FROM numbers GROUP", "FROM numbers WHERE true GROUP", 1)), 0o644))
	if newer := p.plan(4, 4); newer.Plan == ref.Plan {
		t.Fatal("the code is what it was")
	}
	e := h.Engine(t, p)
	p.submit(e, ref, engines.Options{Parallel: 1})
	if o := p.ends(e, ref, engines.Failed); o.Succeeded != 0 || o.Message == "" {
		t.Errorf("ended as %+v", o)
	}
	p.active(0)
	if begun := p.begun(1); len(begun) > 1 {
		t.Errorf("begun were %v, and the first was refused", begun)
	}
	p.publishedOnce(0)
}
