package ingest

import (
	"context"
	"errors"
	"io"

	"strandline/landing"
)

// What is said of a file that landed in the other of a folder's two modes, in which it
// would land all over again.
const (
	ErrLandedWhole  = fault("it landed as a whole file before the folder was declared with tail, and would land again: leave it out by exclude, and have its log go on in a new file")
	ErrLandedTailed = fault("lines of a log that begins like it landed while the folder was declared with tail, and would land again: leave it out by exclude, or declare tail")
)

// landedWhole is ErrLandedWhole of a log whose beginning has landed as a file of its name.
func landedWhole(ctx context.Context, stream *landing.Stream, l *tailLog) error {
	if has, err := stream.HasVersion(ctx, l.name, l.version.String()); err != nil || has {
		return errors.Join(err, ErrLandedWhole)
	}
	may, err := stream.MayHave(ctx, l.name, l.version.size)
	if err != nil || !may {
		return err
	}
	return stream.Arrivals(ctx, 0, stream.Next(), func(a landing.Arrival) error {
		if a.Name != l.name || a.Size <= 0 || a.Size > l.version.size {
			return ctx.Err()
		}
		id, err := Identify(ctx, io.NewSectionReader(l.file, 0, a.Size), Options{})
		if err == nil && id == a.Identity {
			err = ErrLandedWhole
		}
		return err
	})
}

// landedTailed is ErrLandedTailed of a file that begins as a log of which something has
// landed.
func landedTailed(stream *landing.Stream, f File) (err error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return whileReading(f.Name, err)
	}
	defer file.Close()
	begins, whole, err := headOf(file)
	if err != nil || !whole { // such a one is not tailed
		return nil
	}
	stream.View(func(state *landing.State) {
		if _, known := state.Progress(tailSource(begins, 1)); known {
			err = whileReading(f.Name, ErrLandedTailed)
		}
	})
	return err
}
