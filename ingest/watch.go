package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"strandline/internal/trouble"
)

// Watcher hands the files of a folder over, once each has settled.
//
// Which versions of files are done is remembered, here and in the landing log, only
// to save reading: what keeps a content from landing twice is its digest.
type Watcher struct {
	// Oldest, if set before Run, is told since when the file is known that has waited
	// longest to land, and the zero time where there is none.
	Oldest func(since time.Time)

	folder Folder
	report func(name string, err error)
	files  *settling
	away   bool              // the folder was not there when it was listed last
	once   bool              // what can't be done now is reported, and left
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

// Run watches until ctx ends, and returns nil then. It hands to one file
// after the other, in the order of their names among those that are due, and
// returns when the call under way has returned. The only error is that the
// folder can't be watched at all. A Watcher runs once.
func (w *Watcher) Run(ctx context.Context, to Lander) error {
	w.notes = openNotes(func(err error) { w.tell(w.folder.Dir, err) })
	defer w.notes.close()
	return w.loop(ctx, to)
}

// Find tells whether the folder is one that can be watched.
func (w *Watcher) Find() error {
	dir, err := filepath.EvalSymlinks(w.folder.Dir) // a link is not listed
	if err != nil {
		return fmt.Errorf("watch folder %q: %w (make it, or change the stream's dir)", w.folder.Dir, err)
	}
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("watch folder %q: %w", w.folder.Dir, err)
	} else if !info.IsDir() {
		return fmt.Errorf("watch folder %q: it is a file; name the folder it is in", w.folder.Dir)
	}
	w.folder.Dir = dir
	if err := w.findTarget(); err != nil {
		return err
	}
	return w.folder.tryPutAway()
}

// findTarget makes the folder that files are moved to.
func (w *Watcher) findTarget() (err error) {
	if w.folder.AfterLanding != ActionMove {
		return nil
	}
	if err = os.MkdirAll(w.folder.MoveTo, 0o777); err == nil {
		w.folder.MoveTo, err = filepath.EvalSymlinks(w.folder.MoveTo)
	}
	if err != nil {
		return fmt.Errorf("watch folder %q: make the folder that its files are moved to: %w", w.folder.Dir, err)
	}
	if w.folder.MoveTo == w.folder.Dir {
		return fmt.Errorf("watch folder %q: its files can't be moved to where they are", w.folder.Dir)
	}
	return nil
}

func (w *Watcher) loop(ctx context.Context, to Lander) error {
	if err := w.Find(); err != nil {
		return err
	}
	w.scanAll()
	w.tellOldest()
	rescan := time.NewTicker(w.folder.Rescan)
	defer rescan.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	for away := false; ; {
		if w.away != away {
			away = w.away
			rescan.Reset(w.untilRescan())
		}
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
			w.tellOldest()
		case <-due.C:
			w.act(ctx, to)
			w.tellOldest()
		}
	}
}

// lookOut is how often it is looked whether a folder that is gone is back, of which nothing notifies.
const lookOut = time.Second

func (w *Watcher) untilRescan() time.Duration {
	if w.away {
		return min(lookOut, w.folder.Rescan)
	}
	return w.folder.Rescan
}

// noticed looks at what a notification is about.
func (w *Watcher) noticed(event fsnotify.Event) {
	if event.Name == "" {
		return
	}
	if event.Name == w.folder.Dir && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) { // what is there now has to be watched
		w.scanAll()
		return
	}
	w.look(event.Name)
	if len(w.files.unlanded) <= 1 { // it may be the first, or have been the last
		w.tellOldest()
	}
}

func (w *Watcher) tellOldest() {
	if w.Oldest != nil {
		w.Oldest(w.files.oldest())
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
func (w *Watcher) act(ctx context.Context, to Lander) {
	due := w.files.allDue(time.Now())
	for len(due) > 0 {
		batch := due[:min(len(due), knownAtOnce)]
		due = due[len(batch):]
		w.recall(ctx, to, batch)
		w.takeAll(ctx, to, batch)
	}
}

// takeAll takes those of a batch that are still due. Small files that are to land are
// handed over together.
func (w *Watcher) takeAll(ctx context.Context, to Lander, batch []string) {
	group, groups := to.(GroupLander)
	var small []string
	for _, path := range batch {
		if ctx.Err() != nil {
			return
		}
		w.look(path)
		switch {
		case !w.files.isDue(path, time.Now()):
		case groups && w.landsWithOthers(path):
			small = append(small, path)
		default:
			w.take(ctx, to, path)
		}
	}
	files := make([]File, len(small))
	for i, path := range small {
		files[i] = w.file(path)
	}
	if len(files) > 0 {
		group.LandAll(ctx, files, func(i int, o Outcome, err error) { w.took(ctx, to, small[i], o, err) })
	}
}

// landsWithOthers tells whether a file is a small one of which nothing is known but that
// it is to land.
func (w *Watcher) landsWithOthers(path string) bool {
	_, aside := isAside(path)
	c := w.files.pending[path]
	return !aside && !c.landed && c.unfinished == nil && w.files.files[path].size <= SmallPiece
}

// knownAtOnce is how many files the landing log is asked about at once.
const knownAtOnce = 1000

// recall notes which files of a batch need no reading, since they have landed as they
// are. Where that can't be told, they are read.
func (w *Watcher) recall(ctx context.Context, to Lander, paths []string) {
	files := make([]File, len(paths))
	for i, path := range paths {
		files[i] = w.file(path)
	}
	known, err := to.Known(ctx, files)
	if err != nil {
		return
	}
	for i, path := range paths {
		if c := w.files.pending[path]; c != nil && known[i] {
			c.landed = true
		}
	}
}

func (w *Watcher) file(path string) File {
	return File{Path: path, Name: w.folder.name(path), Version: w.files.files[path].String()}
}

// take lands one file that is due and puts it away, and notes what came of it.
func (w *Watcher) take(ctx context.Context, to Lander, path string) {
	if before, is := isAside(path); is {
		w.putBack(path, before)
		return
	}
	c, file := w.files.pending[path], w.file(path)
	if c.unfinished != nil {
		w.files.handled(path)
		w.report(file.Name, fmt.Errorf("%w (unchanged for %v)", c.unfinished, time.Since(c.since).Round(time.Second)))
		return
	}
	if c.landed {
		w.letGo(ctx, to, path)
		return
	}
	outcome, err := to.Land(ctx, file)
	w.took(ctx, to, path, outcome, err)
}

// took notes what came of a file that was handed over, and puts it away if it landed.
func (w *Watcher) took(ctx context.Context, to Lander, path string, outcome Outcome, err error) {
	if err != nil {
		w.refused(ctx, path, err)
		return
	}
	c := w.files.pending[path]
	c.landed, c.whole = true, wholenessOf(outcome)
	w.letGo(ctx, to, path)
}

// letGo puts away a file that has landed.
func (w *Watcher) letGo(ctx context.Context, to Lander, path string) {
	w.files.landed(path)
	if !w.mayGo(ctx, to, path) {
		return
	}
	if err := w.folder.putAway(path, w.files.files[path]); err != nil {
		w.later(path, fmt.Errorf("it has landed, and stays where it is: %s: %w", w.folder.AfterLanding, err))
		return
	}
	w.files.handled(path)
}

// putBack gives a file its name again that a process took aside and then left.
func (w *Watcher) putBack(aside, path string) {
	if err := putBack(aside, path); err != nil {
		w.later(aside, fmt.Errorf("it was to be put away, and could not be put back: %w", err))
		return
	}
	w.look(aside)
	w.look(path)
	if w.files.isDue(aside, time.Now()) { // another file has its name
		w.files.again(aside, time.Now())
	}
}

// refused notes why a file did not land.
func (w *Watcher) refused(ctx context.Context, path string, err error) {
	partial := errors.Is(err, ErrPartial)
	unfinished := partial || errors.Is(err, ErrTruncated)
	switch {
	case ctx.Err() != nil: // abandoned, and not at fault
	case errors.Is(err, ErrVanished):
		w.files.gone(path)
	case errors.Is(err, ErrChanged):
		w.files.changing(path, time.Now())
	case unfinished && !w.once:
		w.files.endMissing(path, err)
	case partial: // it is being appended to
		w.files.handled(path)
	case unfinished, errors.Is(err, ErrInput):
		w.files.handled(path)
		w.report(w.folder.name(path), err)
	default:
		w.later(path, err)
	}
}

// later reports what is not a file's own fault, and tries again after a while.
func (w *Watcher) later(path string, err error) {
	w.tellOnce(&w.files.pending[path].told, w.folder.name(path), err)
	if w.once {
		w.files.handled(path)
		return
	}
	w.files.again(path, time.Now())
}

// tell reports what is wrong with a folder, unless it was the last thing said.
func (w *Watcher) tell(dir string, err error) {
	last := w.told[dir]
	w.tellOnce(&last, w.folder.name(dir), err)
	w.told[dir] = last
}

// tellOnce reports trouble that is another than what was told last.
func (w *Watcher) tellOnce(last *string, name string, err error) {
	if text := trouble.Text(err); text != *last {
		*last = text
		w.report(name, err)
	}
}
