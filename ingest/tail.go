package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"strandline/landing"
)

// TailLander lands what is appended to the files of a folder, whole lines of NDJSON
// alone. Each arrival is a range of one file's bytes, and the landing log keeps up to
// where a file has landed, so that any process goes on from there, and of two that
// do so at once one lands the range.
//
// A file is known by how it begins, and by the bytes before the place where the next
// range starts, and not by its name or inode: so it may be renamed or copied (with all
// its bytes, or some of them) and then cut. See TailLander.find.
//
// A row's source is the file's name at that time, and its source position the offset
// of its line in the file, in bytes from 0.
type TailLander struct {
	Stream  *landing.Stream
	Options Options
	// Landed is told of each range that landed. Its error is Land's.
	Landed func(Outcome) error
	// Report is told of a file that is another than its name had before, and of one of
	// which nothing or not all lands, once each.
	Report func(name string, err error)

	files   map[string]tailed // by name, what the file of it was last
	holders map[string]string // by source, the path of a file that had all that landed of it
	places  *tailPlaces
}

// NewTailLander returns a TailLander with all its fields set.
func NewTailLander(t TailLander) *TailLander {
	t.files, t.holders, t.places = map[string]tailed{}, map[string]string{}, newTailPlaces(t.Stream)
	return &t
}

// Known implements Lander. What is known of a file is where it goes on.
func (t *TailLander) Known(_ context.Context, files []File) ([]bool, error) {
	return make([]bool, len(files)), nil
}

// Land implements Lander: it lands all whole lines that are new. ErrPartial says that
// there is something behind them.
func (t *TailLander) Land(ctx context.Context, f File) (Outcome, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return Outcome{}, whileReading(f.Name, err)
	}
	defer file.Close()
	for {
		r, err := t.next(ctx, file, f.Name)
		if err != nil {
			return Outcome{}, whileReading(f.Name, err)
		}
		if r.from == r.to {
			return Outcome{}, nil
		}
		outcome, err := t.land(ctx, file, f.Name, r)
		switch {
		case errors.Is(err, landing.ErrMoved): // another process was faster
		case err != nil:
			return Outcome{}, err
		case !outcome.Duplicate:
			if err := t.Landed(outcome); err != nil {
				return Outcome{}, err
			}
		}
	}
}

// Stays implements Lander. Nothing becomes of files that grow.
func (t *TailLander) Stays(context.Context, File) (why, err error) { return errBare, nil }

// tailRange is the bytes [from, to) of a file, whole lines all.
type tailRange struct {
	source   string // what the landing log calls the file
	from, to int64
	begins   tailHead  // how the file begins
	before   tailPlace // what comes before from
}

// tailChunk is about how many bytes of a file land by one commit, from an offset on.
// They are fewer at its beginning, so that there are places by which a copy of a part
// of it is known.
func tailChunk(from int64) int64 { return min(256<<20, max(tailWindow, 3*from)) }

// next returns the range that is to land next, an empty one where there is none.
func (t *TailLander) next(ctx context.Context, file *os.File, name string) (r tailRange, err error) {
	info, err := file.Stat()
	if err != nil {
		return r, err
	}
	begins, whole, err := headOf(file)
	if err != nil || !whole {
		return r, partialIf(err, info.Size() > 0)
	}
	l := &tailLog{file: file, name: name, version: versionOf(info), begins: begins}
	r, more, err := t.find(ctx, l)
	if err != nil || !more {
		return r, err
	}
	if r.to, err = endOfLines(file, r.from, info.Size(), tailChunk(r.from)); err != nil {
		return r, err
	}
	return r, partialIf(nil, r.to == r.from && r.from < info.Size())
}

func partialIf(err error, partial bool) error {
	if err == nil && partial {
		return ErrPartial
	}
	return err
}

// land lands a range, unless the file turns out to be another than it was.
func (t *TailLander) land(ctx context.Context, file *os.File, name string, r tailRange) (Outcome, error) {
	decoder, err := NewDecoder(t.Stream.Spec(), t.Options)
	if err != nil {
		return Outcome{}, err
	}
	intake, err := t.Stream.Begin(landing.Source{Name: r.source, Way: WayDir})
	if err != nil {
		return Outcome{}, err
	}
	defer intake.Abort()
	intake.From(name)
	content := identify(interruptible{ctx, io.NewSectionReader(file, r.from, r.to-r.from)})
	lines := newLineStarts(content, r.from)
	if _, err = decoder.Decode(lines, offsetSink{intake, lines}); err == nil {
		err = r.unchanged(file, content)
	}
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	end, err := placeAt(file, r.to)
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	result, err := intake.CommitAs(ctx, landing.Claim{
		Version:  end.String(),
		Progress: []landing.Progress{{Source: r.source, From: r.from, To: r.to}},
	})
	if err != nil {
		return Outcome{}, err
	}
	result.SameName = false // as every range but the first would have
	return Outcome{Result: result, Name: landing.SourceName(name), Identity: content.identity()}, nil
}

// unchanged is ErrChanged unless all of the range was read, and from the file that
// it is of: one that is cut and written anew meanwhile begins otherwise.
func (r tailRange) unchanged(file *os.File, content *identifier) error {
	begins, _, err := headOf(file)
	if err != nil {
		return err
	}
	before, err := placeAt(file, r.from)
	if err != nil {
		return err
	}
	if content.size != r.to-r.from || begins != r.begins || before != r.before {
		return fmt.Errorf("%w (it was cut)", ErrChanged)
	}
	return nil
}
