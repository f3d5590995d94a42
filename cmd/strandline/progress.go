package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress tells a person how far long work is. Its methods are safe for
// concurrent use; Start comes first and Finish last, also after a failure.
type progress interface {
	// Start says that total things will be done, and what they are called.
	Start(total int, what string)
	// Step says that n more are done; note names the latest.
	Step(n int, note string)
	// Failed says that n have failed, or were held.
	Failed(n int)
	// Beside has lines written that may go to the same terminal.
	Beside(write func())
	// Finish leaves the last state readable.
	Finish()
}

// progress returns a bar where standard error is a terminal that is wide enough, and else
// lines.
func (a *app) progress() progress {
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns >= besideBar+narrowest {
			return &bar{w: f, width: min(columns-besideBar, widest)}
		}
	}
	return &lines{w: a.err, now: time.Now}
}

// The columns of a bar, and those of what is written beside it: the count and what failed of
// some thousands, rate and time. A line that is wider would not be drawn over.
const (
	narrowest, widest = 8, 24
	besideBar         = 70
)

// bar draws a progress bar with rate and time left.
type bar struct {
	w     io.Writer
	width int // of the bar itself; 0 is widest

	mu          sync.Mutex
	bar         *progressbar.ProgressBar // nil before Start and where there is nothing to do
	what        string
	done, total int
	failed      int
}

func (b *bar) Start(total int, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.what, b.done, b.total, b.failed = what, 0, total, 0
	if total <= 0 {
		return
	}
	b.bar = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetItsString(""),
		progressbar.OptionSetWidth(cmp.Or(b.width, widest)),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetRenderBlankState(true),
	)
}

func (b *bar) Step(n int, _ string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		return
	}
	n = min(n, b.total-b.done) // more steps than were said leave the bar full
	b.done += n
	_ = b.bar.Add(n) // it errs only where the terminal does
}

func (b *bar) Failed(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed += n
	if b.bar != nil {
		b.bar.Describe(fmt.Sprintf("%s, %d failed or held", b.what, b.failed))
	}
}

func (b *bar) Beside(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.bar == nil:
		write()
	case b.done == b.total: // it is drawn no more, and stays above
		b.end()
		write()
	default:
		_ = b.bar.Clear() // it errs only where the terminal does, and so does what follows
		write()
		_ = b.bar.RenderBlank()
	}
}

func (b *bar) Finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.end()
	}
}

func (b *bar) end() {
	fmt.Fprintln(b.w)
	if b.done < b.total { // what is drawn may be a little behind
		fmt.Fprintf(b.w, "%s: ended at %d of %d\n", b.what, b.done, b.total)
	}
	b.bar = nil
}

// lineEvery is the least time between two lines of progress.
const lineEvery = 2 * time.Second

// lines writes progress as plain lines, at most one every lineEvery, and the
// last state.
type lines struct {
	w   io.Writer
	now func() time.Time

	mu             sync.Mutex
	what, note     string
	done, total    int
	failed         int
	started, wrote time.Time
	behind         bool // something was done since the last line
}

func (l *lines) Start(total int, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total, l.what, l.done, l.failed, l.note, l.behind = total, what, 0, 0, "", false
	l.started = l.now()
	l.wrote = l.started
}

func (l *lines) Step(n int, note string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done += n
	l.note, l.behind = note, true
	if l.now().Sub(l.wrote) >= lineEvery {
		l.write()
	}
}

func (l *lines) Failed(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed += n
	l.behind = true
}

func (l *lines) Beside(write func()) { write() }

func (l *lines) Finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.behind {
		l.write()
	}
}

// write writes a line such as "partitions: 12 of 40, 3.2/s, 9s left: 2026-03-04".
func (l *lines) write() {
	l.wrote, l.behind = l.now(), false
	line := fmt.Sprintf("%s: %d of %d%s", l.what, l.done, l.total, someOf(l.failed, "failed or held"))
	if spent := l.wrote.Sub(l.started); spent > 0 && l.done > 0 {
		rate := float64(l.done) / spent.Seconds()
		line += fmt.Sprintf(", %.1f/s", rate)
		if left := l.total - l.done; left > 0 {
			line += fmt.Sprintf(", %v left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
		}
	}
	if l.note != "" {
		line += ": " + l.note
	}
	fmt.Fprintln(l.w, line)
}
