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
	Cut      int64  // rejects of which the lake has the beginning alone, where it was read now
	Name     string // as the stream knows the source
	Identity landing.Identity
}

// LandFile lands the regular file at path in stream, whole and by one commit,
// under name. A content that has landed before, under whatever name, is
// recognised by its digest, and the Outcome says so. Where one of that name or size
// has landed, that is looked at before anything is decoded.
//
// With any error nothing was landed, except where log.ErrUnknown says that
// this is not known. The errors of this package's ErrInput class, ErrVanished,
// ErrUnreadable and ErrChanged tell what is wrong with the file.
func LandFile(ctx context.Context, stream *landing.Stream, path, name string, opts Options) (Outcome, error) {
	return landFile(ctx, stream, File{Path: path, Name: name}, opts)
}

// landFile is LandFile of a file in one version, or with ErrChanged of none.
func landFile(ctx context.Context, stream *landing.Stream, f File, opts Options) (Outcome, error) {
	outcome, err := landRegular(ctx, stream, f, opts)
	return outcome, OfFile.About(err)
}

func landRegular(ctx context.Context, stream *landing.Stream, f File, opts Options) (Outcome, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return Outcome{}, whileReading(f.Name, err)
	}
	defer file.Close()
	claim := landing.Claim{Version: f.Version}
	var landed bool
	if claim.Identity, landed, err = landedBefore(ctx, stream, file, f.Name, opts); err != nil {
		return Outcome{}, err
	}
	watched, err := watchOver(file, f.Version)
	switch {
	case err != nil:
		return Outcome{}, whileReading(f.Name, err)
	case landed:
		return landNothing(ctx, stream, f.Name, claim)
	}
	return land(ctx, stream, file, f.Name, claim, opts, func(read landing.Identity) error {
		return watched.held(ctx, read, opts)
	})
}

// landedBefore looks whether a file's content has landed, and what it is then, where
// there is a sign that it may have. It leaves the file at its beginning.
func landedBefore(ctx context.Context, stream *landing.Stream, file *os.File, name string, opts Options) (id landing.Identity, landed bool, err error) {
	info, err := file.Stat()
	if err != nil {
		return id, false, whileReading(name, err)
	}
	may, err := stream.MayHave(ctx, name, info.Size())
	if err != nil || !may {
		return id, false, err
	}
	if id, err = identifyAgain(ctx, file, opts); err != nil {
		return id, false, whileReading(name, err)
	}
	_, landed, err = stream.Landed(ctx, id)
	return id, landed, err
}

// landNothing claims a content that has landed, so that its version is known.
func landNothing(ctx context.Context, stream *landing.Stream, name string, claim landing.Claim) (Outcome, error) {
	intake, err := stream.Begin(landing.Source{Name: name})
	if err != nil {
		return Outcome{}, err
	}
	result, err := intake.CommitAs(ctx, claim)
	return Outcome{Result: result, Name: landing.SourceName(name), Identity: claim.Identity}, err
}

// LandReader lands what r holds up to its end, in one pass, as LandFile does.
// When ctx ends nothing is landed; a Read of r that is waiting at that time is
// the caller's to unblock.
func LandReader(ctx context.Context, stream *landing.Stream, r io.Reader, name string, opts Options) (Outcome, error) {
	outcome, err := landVersion(ctx, stream, r, name, "", opts)
	return outcome, OfInput.About(err)
}

// LandVersion is LandReader of an object that its source calls version. Has that
// version of the name landed, or its content otherwise, nothing lands; the stream then
// knows it as HasVersion tells.
func LandVersion(ctx context.Context, stream *landing.Stream, r io.Reader, name, version string, opts Options) (Outcome, error) {
	outcome, err := landVersion(ctx, stream, r, name, version, opts)
	return outcome, OfObject.About(err)
}

func landVersion(ctx context.Context, stream *landing.Stream, r io.Reader, name, version string, opts Options) (Outcome, error) {
	claim := landing.Claim{Version: version}
	return land(ctx, stream, r, name, claim, opts, func(landing.Identity) error { return nil })
}

func whileReading(name string, err error) error { return fmt.Errorf("read %q: %w", name, err) }

// land takes in r and commits it as claimed, by the identity of what was read, unless
// check has something against that.
func land(ctx context.Context, stream *landing.Stream, r io.Reader, name string, claim landing.Claim, opts Options, check func(read landing.Identity) error) (Outcome, error) {
	decoder, err := NewDecoder(stream.Spec(), opts)
	if err != nil {
		return Outcome{}, err
	}
	intake, err := stream.Begin(landing.Source{Name: name, Way: decoder.opts.Way})
	if err != nil {
		return Outcome{}, err
	}
	defer intake.Abort()
	var counts Counts
	claim.Identity, counts, err = decoder.drain(interruptible{ctx, r}, intake)
	if err == nil {
		err = check(claim.Identity)
	}
	if err != nil {
		return Outcome{}, whileReading(name, err)
	}
	result, err := intake.CommitAs(ctx, claim)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: result, Cut: counts.Cut, Name: landing.SourceName(name), Identity: claim.Identity}, nil
}

// drain decompresses and decodes r to its end and returns its identity and what came of
// its records.
func (d *Decoder) drain(r io.Reader, sink Sink) (landing.Identity, Counts, error) {
	plain, err := Decompress(r, d.opts.MaxWindow)
	if err != nil {
		return landing.Identity{}, Counts{}, err
	}
	defer plain.Close()
	content := identify(plain)
	counts, err := d.Decode(content, sink)
	if err != nil {
		return landing.Identity{}, counts, err
	}
	return content.identity(), counts, nil
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

// nameFault gives an error of opening a file its class. It leaves out the name, which
// whoever reads the file tells.
func nameFault(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w (%w)", ErrVanished, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w (%w)", ErrUnreadable, err)
	default:
		return err
	}
}
