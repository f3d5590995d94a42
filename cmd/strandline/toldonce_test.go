package main

import (
	"testing"

	"strandline/internal/scratch"
)

// What was drawn for a try makes no news of trouble.
func TestTheSameTroubleIsNoNews(t *testing.T) {
	var told toldOnce
	dir := t.TempDir()
	trouble := func() string { return "write " + scratch.Open(dir).Later("engine") + ": no space left on device" }
	for i, want := range []bool{true, false, false} {
		if got := told.news(trouble()); got != want {
			t.Errorf("time %d is news: %v", i, got)
		}
	}
	if told.news(""); !told.news(trouble()) {
		t.Error("once it was over it is none")
	}
}

// So it is with what is looked at in rounds.
func TestTheSameTroubleOfAnotherRoundIsNoNews(t *testing.T) {
	said := 0
	n := newNews(func(string, ...any) { said++ })
	for range 3 {
		n.say("read tcp 10.0.0.7:%d->10.0.0.9:443: connection reset by peer", 50000+said)
		n.say("write %s: no space left on device", scratch.Open("/tmp").Later("engine"))
		n.next()
	}
	if said != 2 {
		t.Errorf("two kinds of trouble were told %d times", said)
	}
}
