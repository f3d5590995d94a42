package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"strandline/landing"
)

// Outcome is what became of one source.
type Outcome struct {
	landing.Result
	Name     string
	Identity landing.Identity
}

// LandFile lands the regular file at path in stream, whole and by one commit,
// under name. A content that has landed before, under whatever name, is
// recognised by its digest before anything is decoded, and the Outcome says so.
//
// With any error nothing was landed, except where log.ErrUnknown says that
// this is not known. The errors of this package's ErrInput class, ErrVanished,
// ErrUnreadable and ErrChanged tell what is wrong with the file.
func LandFile(ctx context.Context, stream *landing.Stream, path, name string, opts Options) (Outcome, error) {
	file, err := openRegular(path)
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	defer file.Close()
	id, err := Identify(ctx, file, opts)
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	before, landed, err := stream.Landed(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	if landed {
		result := landing.Result{Duplicate: true, DuplicateOf: before}
		return Outcome{Result: result, Name: name, Identity: id}, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Outcome{}, whileReading(name, err)
	}
	return land(ctx, stream, file, name, opts, func(read landing.Identity) error {
		if read != id {
			return ErrChanged
		}
		return nil
	})
}

// LandReader lands what r holds up to its end, in one pass, as LandFile does.
// When ctx ends nothing is landed; a Read of r that is waiting at that time is
// the caller's to unblock.
func LandReader(ctx context.Context, stream *landing.Stream, r io.Reader, name string, opts Options) (Outcome, error) {
	return land(ctx, stream, r, name, opts, func(landing.Identity) error { return nil })
}

func whileReading(name string, err error) error { return fmt.Errorf("read %q: %w", name, err) }

// land takes in r and commits it if its identity is the one that is expected.
func land(ctx context.Context, stream *landing.Stream, r io.Reader, name string, opts Options, expect func(landing.Identity) error) (Outcome, error) {
	decoder, err := NewDecoder(stream.Spec(), opts)
	if err != nil {
		return Outcome{}, err
	}
	intake, err := stream.Begin(landing.Source{Name: name})
	if err != nil {
		return Outcome{}, err
	}
	defer intake.Abort()
	id, err := decoder.drain(interruptible{ctx, r}, intake)
	if err == nil {
		err = expect(id)
	}
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	result, err := intake.Commit(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: result, Name: name, Identity: id}, nil
}

// drain decompresses and decodes r to its end and returns its identity.
func (d *Decoder) drain(r io.Reader, sink Sink) (landing.Identity, error) {
	plain, err := Decompress(r, d.opts.MaxWindow)
	if err != nil {
		return landing.Identity{}, err
	}
	defer plain.Close()
	content := identify(plain)
	if _, err := d.Decode(content, sink); err != nil {
		return landing.Identity{}, err
	}
	return content.identity(), nil
}

// openRegular opens a file that can be read twice.
func openRegular(path string) (*os.File, error) {
	// Looked at before it is opened: opening a pipe waits for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nameFault(err)
	}
	switch {
	case info.IsDir():
		return nil, ErrFolder
	case !info.Mode().IsRegular():
		return nil, ErrIrregular
	}
	file, err := os.Open(path)
	return file, nameFault(err)
}

func nameFault(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w (%w)", ErrVanished, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w (%w)", ErrUnreadable, err)
	default:
		return err
	}
}
