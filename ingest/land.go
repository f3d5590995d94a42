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
	return landFile(ctx, stream, File{Path: path, Name: name}, opts)
}

// landFile is LandFile of a file in one version, or with ErrChanged of none.
func landFile(ctx context.Context, stream *landing.Stream, f File, opts Options) (Outcome, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return Outcome{}, whileReading(f.Name, err)
	}
	defer file.Close()
	id, seen, err := look(ctx, file, opts)
	if err == nil {
		err = f.unchanged(file)
	}
	if err != nil {
		return Outcome{}, whileReading(f.Name, err)
	}
	_, landed, err := stream.Landed(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	claim := landing.Claim{Identity: id, Version: f.Version}
	if landed {
		return landNothing(ctx, stream, f.Name, claim)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Outcome{}, whileReading(f.Name, err)
	}
	return land(ctx, stream, file, f.Name, claim, opts, func(r io.Reader) content {
		again := &secondReading{witness: witness{r: r}, id: id, before: seen, check: func() error { return f.unchanged(file) }}
		again.hash.SetSeed(witnessSeed)
		return again
	})
}

// unchanged is ErrChanged if what was opened is not in the file's version any more.
func (f File) unchanged(opened *os.File) error {
	if f.Version == "" {
		return nil
	}
	info, err := opened.Stat()
	if err == nil && versionOf(info).String() != f.Version {
		return ErrChanged
	}
	return err
}

// landNothing claims a content that has landed, so that its version is known.
func landNothing(ctx context.Context, stream *landing.Stream, name string, claim landing.Claim) (Outcome, error) {
	intake, err := stream.Begin(landing.Source{Name: name})
	if err != nil {
		return Outcome{}, err
	}
	result, err := intake.CommitAs(ctx, claim)
	return Outcome{Result: result, Name: name, Identity: claim.Identity}, err
}

// LandReader lands what r holds up to its end, in one pass, as LandFile does.
// When ctx ends nothing is landed; a Read of r that is waiting at that time is
// the caller's to unblock.
func LandReader(ctx context.Context, stream *landing.Stream, r io.Reader, name string, opts Options) (Outcome, error) {
	return LandVersion(ctx, stream, r, name, "", opts)
}

// LandVersion is LandReader of a content that its source calls version. Has that
// version of the name landed, or its content otherwise, nothing lands; the stream then
// knows it as HasVersion tells.
func LandVersion(ctx context.Context, stream *landing.Stream, r io.Reader, name, version string, opts Options) (Outcome, error) {
	claim := landing.Claim{Version: version}
	return land(ctx, stream, r, name, claim, opts, func(r io.Reader) content { return identify(r) })
}

func whileReading(name string, err error) error { return fmt.Errorf("read %q: %w", name, err) }

// land takes in r and commits it as claimed, by the identity that reading it through
// know gives.
func land(ctx context.Context, stream *landing.Stream, r io.Reader, name string, claim landing.Claim, opts Options, know func(io.Reader) content) (Outcome, error) {
	decoder, err := NewDecoder(stream.Spec(), opts)
	if err != nil {
		return Outcome{}, err
	}
	intake, err := stream.Begin(landing.Source{Name: name})
	if err != nil {
		return Outcome{}, err
	}
	defer intake.Abort()
	claim.Identity, err = decoder.drain(interruptible{ctx, r}, intake, know)
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	result, err := intake.CommitAs(ctx, claim)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: result, Name: name, Identity: claim.Identity}, nil
}

// drain decompresses and decodes r to its end and returns its identity.
func (d *Decoder) drain(r io.Reader, sink Sink, know func(io.Reader) content) (landing.Identity, error) {
	plain, err := Decompress(r, d.opts.MaxWindow)
	if err != nil {
		return landing.Identity{}, err
	}
	defer plain.Close()
	content := know(plain)
	if _, err := d.Decode(content, sink); err != nil {
		return landing.Identity{}, err
	}
	return content.known()
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
