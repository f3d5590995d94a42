package ingest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// errStillChanging is what is said of a file that was waited for in vain.
var errStillChanging = errors.New("it is still changing, so it is left for later")

// Once hands over what the folder holds now, in place of Run. It returns when each of
// these files has landed or been reported; one that does not settle is waited for as
// long as Patience. Errors are that the folder can't be looked at, and that of ctx.
func (w *Watcher) Once(ctx context.Context, to Lander) error {
	w.once, w.notes = true, notes{watch: func(string) error { return nil }}
	if err := w.Find(); err != nil {
		return err
	}
	w.scanAll()
	end := time.Now().Add(w.folder.Patience)
	wait := time.NewTimer(0)
	defer wait.Stop()
	for {
		at, more := w.files.next()
		if !more || at.After(end) {
			break
		}
		wait.Reset(time.Until(at))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wait.C:
			w.act(ctx, to)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(w.files.pending)) {
		w.report(w.folder.name(path), errStillChanging)
	}
	return ctx.Err()
}
