package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"strandline/internal/digest"
	"strandline/landing"
)

// What lands together: each entry of the log costs several waits for the disk, which
// very many small files could not pay one by one.
const (
	SmallPiece    = 64 << 10  // bytes of one as it is stored, at most
	smallContent  = 256 << 10 // bytes of its content, at most
	groupPieces   = 512
	groupContents = 8 << 20 // bytes of all contents, but for the last of them
)

// Piece is one of several sources that may land together: a file or an object.
type Piece struct {
	Name    string // as the stream is to know it
	Version string // as Claim says it
	// Read returns its content as it is stored. Where it has an error the piece lands
	// alone.
	Read func(ctx context.Context) ([]byte, error)
	// Alone lands it by itself.
	Alone func(ctx context.Context) (Outcome, error)
}

// ErrNotSmall is what Piece.Read returns of a source that is to land alone for its size.
var ErrNotSmall = errors.New("it is too large to land together with others")

// LandFiles lands files in order, each as LandFile does, and tells what came of it. Small
// ones land together, as LandPieces has it.
func LandFiles(ctx context.Context, stream *landing.Stream, files []File, opts Options, each func(i int, o Outcome, err error)) {
	pieces := make([]Piece, len(files))
	for i, f := range files {
		pieces[i] = Piece{
			Name: f.Name, Version: f.Version,
			Read:  func(ctx context.Context) ([]byte, error) { return readSmall(ctx, f, opts) },
			Alone: func(ctx context.Context) (Outcome, error) { return landFile(ctx, stream, f, opts) },
		}
	}
	LandPieces(ctx, stream, pieces, opts, each)
}

// LandPieces lands pieces in order and tells what came of each. Small ones that
// follow one another land by one entry of the log: each is an arrival of its own, whole
// or not at all. It ends early if ctx does.
func LandPieces(ctx context.Context, stream *landing.Stream, pieces []Piece, opts Options, each func(i int, o Outcome, err error)) {
	g := &grouping{ctx: ctx, stream: stream, opts: opts, each: each}
	for i, p := range pieces {
		if ctx.Err() != nil {
			return
		}
		s, small := g.read(p)
		if s.at = i; !small {
			g.land()
			g.alone(s)
			continue
		}
		g.waiting, g.bytes = append(g.waiting, s), g.bytes+len(s.content)
		if len(g.waiting) == groupPieces || g.bytes >= groupContents {
			g.land()
		}
	}
	g.land()
}

// grouping gathers small pieces to land them together.
type grouping struct {
	ctx     context.Context
	stream  *landing.Stream
	opts    Options
	each    func(i int, o Outcome, err error)
	waiting []smallPiece
	bytes   int // of their contents
}

// smallPiece is a piece that was read, and of which few records came.
type smallPiece struct {
	Piece
	at       int // which of the pieces it is
	content  []byte
	identity landing.Identity
	counts   Counts
}

func (g *grouping) alone(s smallPiece) {
	outcome, err := s.Alone(g.ctx)
	g.each(s.at, outcome, err)
}

// read reads a piece if it is small and can be read. All others land alone, where it is
// said what is wrong with them.
func (g *grouping) read(p Piece) (s smallPiece, small bool) {
	s.Piece = p
	stored, err := p.Read(g.ctx)
	if err != nil || len(stored) > SmallPiece {
		return s, false
	}
	if s.content, err = contentOf(stored, g.opts); err != nil {
		return s, false
	}
	s.identity = landing.Identity{Digest: digest.OfBytes(s.content), Size: int64(len(s.content))}
	s.counts, err = g.decode(s, new(fewRecords))
	return s, err == nil
}

// readSmall reads a small file that stands still.
func readSmall(ctx context.Context, f File, opts Options) ([]byte, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() > SmallPiece {
		return nil, errors.Join(err, ErrNotSmall)
	}
	watched, err := watchOver(file, f.Version)
	if err != nil {
		return nil, err
	}
	stored, err := io.ReadAll(io.LimitReader(file, SmallPiece+1))
	if err != nil {
		return nil, err
	}
	read, err := Identify(ctx, bytes.NewReader(stored), opts)
	if err != nil {
		return nil, err
	}
	return stored, watched.held(ctx, read, opts)
}

// contentOf takes compression off a content that is small without it, too.
func contentOf(stored []byte, opts Options) ([]byte, error) {
	plain, err := Decompress(bytes.NewReader(stored), opts.MaxWindow)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	content, err := io.ReadAll(io.LimitReader(plain, smallContent+1))
	if err == nil && len(content) > smallContent {
		err = ErrNotSmall
	}
	return content, err
}

func (g *grouping) decode(s smallPiece, to Sink) (Counts, error) {
	decoder, err := NewDecoder(g.stream.Spec(), g.opts)
	if err != nil {
		return Counts{}, err
	}
	return decoder.Decode(bytes.NewReader(s.content), to)
}

// fewRecords is a Sink that takes no more records than a small text can have: a typed
// file of as many bytes may hold any number.
type fewRecords int

func (n *fewRecords) Add(landing.Row) error       { return n.count() }
func (n *fewRecords) Reject(landing.Reject) error { return n.count() }

func (n *fewRecords) count() error {
	if *n++; *n > smallContent/2 {
		return ErrNotSmall
	}
	return nil
}

// land lands what waits: what is new together, the rest alone.
func (g *grouping) land() {
	waiting := g.waiting
	g.waiting, g.bytes = nil, 0
	if len(waiting) == 0 {
		return
	}
	fresh, err := g.fresh(waiting)
	var results []landing.Result
	if err == nil && len(fresh) > 1 {
		results, err = g.commit(fresh)
	}
	if errors.Is(err, landing.ErrMemberLanded) {
		err = nil
	}
	for _, s := range waiting {
		switch {
		case err != nil:
			g.each(s.at, Outcome{}, err)
		case len(results) > 0 && fresh[0].at == s.at:
			g.each(s.at, Outcome{Result: results[0], Cut: s.counts.Cut, Name: landing.SourceName(s.Name), Identity: s.identity}, nil)
			fresh, results = fresh[1:], results[1:]
		default:
			g.alone(s)
		}
	}
}

// fresh are those whose contents have not landed, each content once.
func (g *grouping) fresh(all []smallPiece) (fresh []smallPiece, err error) {
	ids := make([]landing.Identity, len(all))
	for i, s := range all {
		ids[i] = s.identity
	}
	landed, err := g.stream.HasContents(g.ctx, ids)
	if err != nil {
		return nil, err
	}
	here := map[landing.Identity]bool{}
	for i, s := range all {
		if !landed[i] && !here[s.identity] {
			fresh = append(fresh, s)
		}
		here[s.identity] = true
	}
	return fresh, nil
}

// commit lands contents by one entry, or none of them.
func (g *grouping) commit(group []smallPiece) ([]landing.Result, error) {
	intake, err := g.stream.Begin(landing.Source{Name: group[0].Name, Way: g.opts.withDefaults().Way})
	if err != nil {
		return nil, err
	}
	defer intake.Abort()
	members := make([]landing.Member, len(group))
	for i, s := range group {
		if err := intake.BeginMember(s.Name); err != nil {
			return nil, err
		}
		if _, err := g.decode(s, intake); err != nil {
			return nil, fmt.Errorf("read %q: %w", s.Name, err)
		}
		members[i] = landing.Member{Name: s.Name, Identity: s.identity, Version: s.Version, Rows: s.counts.Rows}
	}
	return intake.CommitMembers(g.ctx, members)
}
