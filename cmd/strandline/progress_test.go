package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLinesAreAtMostOneInTwoSecondsPlusTheLast(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := &lines{w: &out, now: func() time.Time { return now }}
	p.Start(10, "partitions")
	for i := range 7 {
		now = now.Add(800 * time.Millisecond)
		p.Step(1, fmt.Sprintf("2026-03-%02d", i+1))
	}
	p.Finish()
	p.Finish()
	want := "partitions: 3 of 10, 1.2/s, 6s left: 2026-03-03\n" +
		"partitions: 6 of 10, 1.2/s, 3s left: 2026-03-06\n" +
		"partitions: 7 of 10, 1.2/s, 2s left: 2026-03-07\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestQuickWorkIsOneLineAndNoWorkNone(t *testing.T) {
	var out bytes.Buffer
	p := &lines{w: &out, now: func() time.Time { return time.Unix(0, 0) }}
	p.Start(0, "partitions")
	p.Finish()
	p.Start(2, "files")
	p.Step(2, "")
	p.Finish()
	if out.String() != "files: 2 of 2\n" {
		t.Errorf("got %q", out.String())
	}
}

func TestProgressCountsFromManyWorkers(t *testing.T) {
	var out bytes.Buffer
	for _, p := range []progress{&bar{w: &out}, &lines{w: &out, now: time.Now}} {
		out.Reset()
		p.Start(40, "partitions")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 5 {
					p.Step(1, "note")
				}
			})
		}
		all.Wait()
		p.Finish()
		if got := out.String(); !strings.Contains(got, "40/40") && !strings.Contains(got, "40 of 40") || !strings.HasSuffix(got, "\n") {
			t.Errorf("%T wrote %q", p, got)
		}
	}
}

func TestBarSurvivesWrongTotals(t *testing.T) {
	var out bytes.Buffer
	p := &bar{w: &out}
	p.Step(1, "before")
	p.Start(0, "partitions")
	p.Step(1, "")
	p.Finish()
	p.Start(1, "partitions")
	p.Step(3, "")
	p.Finish()
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "1/1") {
		t.Errorf("wrote %q", got)
	}
}

func TestAnEndedBarSaysHowFarItCame(t *testing.T) {
	var out bytes.Buffer
	p := &bar{w: &out}
	p.Start(40, "partitions")
	p.Step(25, "")
	p.Finish()
	if !strings.HasSuffix(out.String(), "\npartitions: ended at 25 of 40\n") {
		t.Errorf("wrote %q", out.String())
	}
}

// Lines that go to the terminal of a bar have lines of their own, and a bar that is full stays.
func TestLinesBesideABarAreNotOnItsLine(t *testing.T) {
	var out bytes.Buffer
	p := &bar{w: &out}
	p.Start(2, "partitions")
	for i := range 2 {
		p.Step(1, "")
		p.Beside(func() { fmt.Fprintf(&out, "line %d\n", i) })
	}
	p.Finish()
	before, rest, _ := strings.Cut(out.String(), "line 0\n")
	if !strings.HasSuffix(before, " \r") || !strings.Contains(rest, "2/2") || !strings.HasSuffix(rest, "\nline 1\n") {
		t.Errorf("wrote %q", out.String())
	}
}
