package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Land lands one file of a watched folder: the one at path, known as name. It
// is LandFile with what else the caller wants done. A content that has landed
// before is no error.
type Land func(ctx context.Context, path, name string) error

// Watcher hands the files of a folder over, once each has settled.
//
// Which files are done is remembered by version, only for as long as the
// Watcher lives, and only to save reading: what keeps a file from landing
// twice is its digest in the landing log.
type Watcher struct {
	folder Folder
	report func(name string, err error)
	files  *settling
	told   map[string]string // what was reported of sub-folders last
	notes  notes
}

// NewWatcher returns a Watcher of folder. What is wrong with single files, or
// with watching itself, is passed to report and does not stop the others; its
// name is relative to the folder and "." for the folder as a whole. Each is
// reported once a version of the file.
func NewWatcher(folder Folder, report func(name string, err error)) (*Watcher, error) {
	if err := folder.Validate(); err != nil {
		return nil, err
	}
	folder = folder.withDefaults()
	return &Watcher{folder: folder, report: report, files: newSettling(folder), told: map[string]string{}}, nil
}

// Run watches until ctx ends, and returns nil then. It calls land for one file
// after the other, in the order of their names among those that are due, and
// returns when the call under way has returned. The only error is that the
// folder can't be watched at all. Run may be called once.
func (w *Watcher) Run(ctx context.Context, land Land) error {
	w.notes = openNotes(func(err error) { w.tell(w.folder.Dir, err) })
	defer w.notes.close()
	return w.loop(ctx, land)
}

func (w *Watcher) loop(ctx context.Context, land Land) error {
	if info, err := os.Stat(w.folder.Dir); err != nil {
		return fmt.Errorf("watch folder %q: %w", w.folder.Dir, nameFault(err))
	} else if !info.IsDir() {
		return fmt.Errorf("watch folder %q: it is a file; name the folder it is in", w.folder.Dir)
	}
	w.scanAll()
	rescan := time.NewTicker(w.folder.Rescan)
	defer rescan.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		if at, ok := w.files.next(); ok {
			due.Reset(time.Until(at))
		} else {
			due.Stop()
		}
		select {
		case <-ctx.Done():
			return nil
		case event := <-w.notes.events:
			w.noticed(event)
		case err := <-w.notes.errors:
			w.misheard(err)
		case <-rescan.C:
			w.scanAll()
		case <-due.C:
			w.act(ctx, land)
		}
	}
}

// noticed looks at what a notification is about.
func (w *Watcher) noticed(event fsnotify.Event) {
	if event.Name != "" {
		w.look(event.Name)
	}
}

// misheard makes up for notifications that were lost.
func (w *Watcher) misheard(err error) {
	if err == nil {
		return
	}
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.tell(w.folder.Dir, err)
	}
	w.scanAll()
}

// act does what is due.
func (w *Watcher) act(ctx context.Context, land Land) {
	for _, path := range w.files.allDue(time.Now()) {
		if ctx.Err() != nil {
			return
		}
		w.look(path)
		if w.files.isDue(path, time.Now()) {
			w.take(ctx, land, path)
		}
	}
}

// take lands one file that is due and notes what came of it.
func (w *Watcher) take(ctx context.Context, land Land, path string) {
	c, name := w.files.pending[path], w.folder.name(path)
	if c.unfinished {
		w.files.handled(path)
		w.report(name, fmt.Errorf("%w (unchanged for %v)", ErrTruncated, time.Since(c.since).Round(time.Second)))
		return
	}
	err := land(ctx, path, name)
	switch {
	case err == nil:
		w.files.handled(path)
	case ctx.Err() != nil: // abandoned, and not at fault
	case errors.Is(err, ErrVanished):
		w.files.gone(path)
	case errors.Is(err, ErrChanged):
		w.files.changing(path, time.Now())
	case errors.Is(err, ErrTruncated):
		w.files.endMissing(path)
	case errors.Is(err, ErrInput):
		w.files.handled(path)
		w.report(name, err)
	default:
		w.files.again(path, time.Now())
		w.tellOnce(&c.told, name, err)
	}
}

// tell reports what is wrong with a folder, unless it was the last thing said.
func (w *Watcher) tell(dir string, err error) {
	last := w.told[dir]
	w.tellOnce(&last, w.folder.name(dir), err)
	w.told[dir] = last
}

func (w *Watcher) tellOnce(last *string, name string, err error) {
	if text := err.Error(); text != *last {
		*last = text
		w.report(name, err)
	}
}
