package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"strandline/landing"
)

// landedLog is a log of which something has landed, up to an offset.
type landedLog struct {
	source string // what the landing log calls it
	at     int64
}

// find returns where a file goes on, and by what source the landing log knows it; more
// is false where nothing of it is to land.
//
// Files that begin alike are numbered. A file is the one whose landed bytes it has. One
// that has those of none is a copy of a part of one, which lands nothing, or a log of its
// own. Which of the two may be unknown: then it waits, since no line is to land twice.
func (t *TailLander) find(ctx context.Context, l *tailLog) (r tailRange, more bool, err error) {
	if err := t.Stream.Refresh(ctx); err != nil {
		return r, false, err
	}
	if was := t.files[l.name]; was.told == ErrLandedWhole.Error() && !l.version.replaces(was.version) {
		return r, false, nil
	}
	logs, free := t.alike(l.begins)
	r.source, r.before, err = t.goesOn(ctx, l, logs)
	if err == nil && r.source == "" {
		r.source = free
		r.before, err = t.starts(ctx, l, logs)
	}
	if err != nil {
		return r, false, t.doubted(l, err)
	}
	r.from, r.begins = r.before.at, l.begins
	t.note(l, r)
	return r, true, nil
}

// alike lists the logs that begin so, and returns what the next will be called.
func (t *TailLander) alike(begins tailHead) (logs []landedLog, free string) {
	t.Stream.View(func(state *landing.State) {
		for n := 1; ; n++ {
			free = tailSource(begins, n)
			at, known := state.Progress(free)
			if !known {
				return
			}
			logs = append(logs, landedLog{free, at})
		}
	})
	return logs, free
}

// tailSource is what the landing log calls the n-th file that begins so, from 1.
func tailSource(begins tailHead, n int) string {
	return fmt.Sprintf("tail %x %d", begins.digest[:16], n)
}

// goesOn returns the log whose landed bytes a file has, and where it goes on; no source
// if there is none. That which the file was last is tried first, then the longest, which
// a log that stands still is.
func (t *TailLander) goesOn(ctx context.Context, l *tailLog, logs []landedLog) (source string, at tailPlace, err error) {
	last := t.files[l.name].source
	logs = slices.DeleteFunc(slices.Clone(logs), func(log landedLog) bool { return log.at > l.version.size })
	slices.SortStableFunc(logs, func(a, b landedLog) int {
		switch last {
		case a.source:
			return -1
		case b.source:
			return 1
		}
		return cmp.Compare(b.at, a.at)
	})
	for _, some := range [][]landedLog{logs[:min(1, len(logs))], logs[min(1, len(logs)):]} {
		if i, err := t.hasBytesOf(ctx, l, some); err != nil || i >= 0 {
			if err != nil {
				return "", at, err
			}
			at, err = l.place(some[i].at)
			return some[i].source, at, err
		}
	}
	return "", at, nil
}

// hasBytesOf returns which of logs it is first whose landed bytes a file has, -1 if none.
func (t *TailLander) hasBytesOf(ctx context.Context, l *tailLog, logs []landedLog) (int, error) {
	if len(logs) == 0 {
		return -1, nil
	}
	wanted := make([]landing.Version, len(logs))
	for i, log := range logs {
		place, err := l.place(log.at)
		if err != nil {
			return 0, err
		}
		wanted[i] = landing.Version{Name: log.source, Version: place.String()}
	}
	has, err := t.Stream.HasVersions(ctx, wanted)
	return slices.Index(has, true), err
}
