package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"strandline/landing"
)

// errCut says why a file that has landed is not put away.
var errCut = errors.New("it has landed, and stays where it is: a record of it is over the limit, of which the lake has the beginning alone; take out what you need, and remove the file")

// wholeness is what is known of whether the lake has all bytes of a file that landed.
type wholeness int

const (
	unknownWhole wholeness = iota
	isWhole
	isCut // of some reject there is the beginning alone
)

// wholenessOf is that of what an outcome is about.
func wholenessOf(o Outcome) wholeness {
	switch {
	case o.Cut > 0:
		return isCut
	case o.Duplicate: // maybe nobody has looked at its records
		return unknownWhole
	default:
		return isWhole
	}
}

// mayGo tells whether the lake has all of a file that has landed, or nothing is to
// become of it. If the lake has not, that is told once.
func (w *Watcher) mayGo(ctx context.Context, to Lander, path string) bool {
	c := w.files.pending[path]
	if !w.folder.putsAway() || c.whole == isWhole {
		return true
	}
	if c.whole == unknownWhole {
		whole, err := to.Whole(ctx, w.file(path))
		if err != nil {
			w.refused(ctx, path, err)
			return false
		}
		if whole {
			c.whole = isWhole
			return true
		}
	}
	w.files.handled(path)
	w.report(w.folder.name(path), errCut)
	return false
}

// Whole implements Lander. It reads the file unless it is too small to be cut.
func (l StreamLander) Whole(ctx context.Context, f File) (bool, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return false, whileReading(f.Name, err)
	}
	defer file.Close()
	watched, err := watchOver(file, f.Version)
	if err != nil {
		return false, whileReading(f.Name, err)
	}
	if small, err := l.isSmall(file, watched.before.size); err != nil || small {
		return small, err
	}
	decoder, err := NewDecoder(l.Stream.Spec(), l.Options)
	if err != nil {
		return false, err
	}
	_, counts, err := decoder.drain(interruptible{ctx, file}, noSink{})
	if err == nil {
		_, err = watched.look()
	}
	if err != nil {
		return false, whileReading(f.Name, err)
	}
	return counts.Cut == 0, nil
}

// isSmall tells whether no record of a file of text can be over the limit.
func (l StreamLander) isSmall(file io.ReaderAt, size int64) (bool, error) {
	opts := l.Options.withDefaults()
	if _, typed := typedFormats[opts.Format]; typed || size > int64(opts.MaxRecord) {
		return false, nil
	}
	head := make([]byte, min(size, int64(len(snappyMagic))))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return false, fmt.Errorf("look at how a file begins: %w", err)
	}
	return !isCompressed(head), nil
}

// noSink is a Sink that keeps nothing.
type noSink struct{}

func (noSink) Add(landing.Row) error       { return nil }
func (noSink) Reject(landing.Reject) error { return nil }
