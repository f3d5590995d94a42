package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"strandline/landing"
)

// Why a file that has landed is not put away.
var (
	errCut  = errors.New("it has landed, and stays where it is: a record of it is over the limit, of which the lake has the beginning alone; take out what you need, and remove the file")
	errBare = errors.New("it stays where it is: there is no record in it, and nothing that says that it is done; it lands once it has some, so remove it if none will come")
)

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
	case o.Duplicate, o.Rows() == 0: // maybe nobody has looked at its records, or there are none
		return unknownWhole
	default:
		return isWhole
	}
}

// mayGo tells whether the lake has all of a file that has landed and is done, or nothing is
// to become of it. If not, that is told once.
func (w *Watcher) mayGo(ctx context.Context, to Lander, path string) bool {
	c := w.files.pending[path]
	if !w.folder.putsAway() || c.whole == isWhole {
		return true
	}
	why := errCut
	if c.whole == unknownWhole {
		var err error
		if why, err = to.Stays(ctx, w.file(path)); err != nil {
			w.refused(ctx, path, err)
			return false
		}
		if why == nil {
			c.whole = isWhole
			return true
		}
	}
	w.files.handled(path)
	if !w.once || why != errBare { // one that ends need not wait for more
		w.report(w.folder.name(path), why)
	}
	return false
}

// Stays implements Lander. Of a file that is too small to be cut it reads the first
// record, and all of any other.
func (l StreamLander) Stays(ctx context.Context, f File) (why, err error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return nil, whileReading(f.Name, err)
	}
	defer file.Close()
	watched, err := watchOver(file, f.Version)
	if err != nil {
		return nil, whileReading(f.Name, err)
	}
	small, err := l.isSmall(file, watched.before.size)
	if err != nil {
		return nil, err
	}
	decoder, err := NewDecoder(l.Stream.Spec(), l.Options)
	if err != nil {
		return nil, err
	}
	_, counts, err := decoder.drain(interruptible{ctx, file}, noSink{first: small})
	if errors.Is(err, errEnough) {
		return nil, nil
	}
	if err == nil {
		_, err = watched.look()
	}
	if err == nil && counts.Rows+counts.Rejects == 0 {
		why, err = l.whyBare(file)
	}
	if counts.Cut > 0 {
		why = errCut
	}
	if err != nil {
		return nil, whileReading(f.Name, err)
	}
	return why, nil
}

// whyBare is errBare of a file without records unless its bytes say that it is done: its
// writer may have opened it and no more, or have written a header.
func (l StreamLander) whyBare(file io.ReaderAt) (why, err error) {
	r := bufio.NewReader(io.NewSectionReader(file, 0, math.MaxInt64))
	head, err := r.Peek(len(snappyMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	format := l.Options.withDefaults().Format
	switch {
	case string(head) == snappyMagic: // has no end of its own
		return errBare, nil
	case isCompressed(head), format == FormatParquet, format == FormatArrow:
		return nil, nil
	case format != FormatJSON:
		return errBare, nil
	}
	for { // an array of nothing is done
		switch c, err := r.ReadByte(); {
		case err == io.EOF:
			return errBare, nil
		case err != nil:
			return nil, err
		case strings.IndexByte(" \t\r\n"+bom, c) < 0:
			return nil, nil
		}
	}
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

// noSink is a Sink that keeps nothing, or ends with the first record.
type noSink struct{ first bool }

func (n noSink) Add(landing.Row) error       { return n.enough() }
func (n noSink) Reject(landing.Reject) error { return n.enough() }

func (n noSink) enough() error {
	if n.first {
		return errEnough
	}
	return nil
}
