package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// lacking is a proof with a plan in one slice of two days: rows of the older one can't be
// read until mend is called, and of the newer one the sum is too great for good.
func lacking(t *testing.T, args ...string) (p proof, id string, mend func()) {
	t.Helper()
	p = newProof(t)
	segments := func() []string {
		found, err := filepath.Glob(p.path("lake/landing/sales/data/*.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := segments()
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	added := slices.DeleteFunc(segments(), func(path string) bool { return slices.Contains(before, path) })
	if len(added) != 1 {
		t.Fatalf("landing added %v", added)
	}
	p.write("d.ndjson", `{"at":"2026-03-04T10:00:00Z","shop":"x","cents":9}`+"\n")
	p.good("land", "sales", p.path("d.ndjson"))
	p.rewrite("sum(cents)", "sum(cents * 1100000000000000000)") // which 9 is too many for
	out := p.good(append([]string{"backfill", "submit", "sales_hourly", "--from", "2026-03-03", "--to", "2026-03-05", "--slices", "1"}, args...)...)
	id, _, _ = strings.Cut(out, "\n")
	body, err := os.ReadFile(added[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(added[0]); err != nil {
		t.Fatal(err)
	}
	return p, id, func() { p.harm(added[0], body) }
}

// worked has a worker run the slice of a request.
func (p proof) worked(id string) requests.Result {
	p.t.Helper()
	a := &app{out: io.Discard, err: io.Discard, configPath: p.path("strandline.yaml"), env: func(string) (string, bool) { return "", false }}
	l, err := a.writeLake(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	defer l.Close()
	tasks, err := l.allTasks(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := l.requests.Find(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	w := newWorking(l, tasks, 1, runner.Slots{})
	said := newSaying(a)
	w.done, w.tell = said.done, said.tell
	return w.run(p.t.Context(), r, 0, nil)
}

func TestASliceIsGivenBackWhileAnotherTryMayDoSomeOfIt(t *testing.T) {
	p, id, mend := lacking(t, "--max-failures", "2")
	if got := p.worked(id); !errors.Is(got.Err, window.ErrResources) || got.Never || got.Machine || !strings.Contains(got.Err.Error(), "could not be computed") {
		t.Errorf("while rows can't be read: %+v", got)
	}
	mend()
	if got := p.worked(id); got.Err != nil || got.Failed != 1 || got.Failures[0].Partition != "2026-03-04" {
		t.Errorf("once they can: %+v", got)
	}
}

// The older day goes first, so that a bound which it counted in would end the slice there.
func TestWhatAnotherTryMayDoIsNotCountedInTheBound(t *testing.T) {
	p, id, _ := lacking(t, "--max-failures", "1", "--order", "oldest")
	if got := p.worked(id); got.Err != nil || got.Failed != 1 || got.Failures[0].Partition != "2026-03-04" {
		t.Errorf("with a bound of 1 it ends as %+v, want the newer day alone to have failed", got)
	}
}

func TestTheExitCodeOfASliceSaysWhetherAnotherTryMayDoSomeOfIt(t *testing.T) {
	p, id, mend := lacking(t)
	for _, slices := range [][]string{{"--shard", "0/1"}, {"--slices", "2"}} {
		args := append([]string{"work", id}, slices...)
		p.bad(exitFailed, "2026-03-03", args...)
	}
	mend()
	p.bad(exitSomeFailed, "2026-03-04", "work", id, "--slices", "2")
}
