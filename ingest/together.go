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
	smallFile     = 64 << 10  // bytes of a file as it lies in its folder, at most
	smallContent  = 256 << 10 // bytes of its content, at most
	groupFiles    = 512
	groupContents = 8 << 20 // bytes of all contents, but for the last of them
)

// LandFiles lands files in order, each as LandFile does, and tells what came of it. Small
// ones of text that follow one another land by one entry of the log: each is an arrival
// of its own, whole or not at all. It ends early if ctx does.
func LandFiles(ctx context.Context, stream *landing.Stream, files []File, opts Options, each func(i int, o Outcome, err error)) {
	g := &grouping{ctx: ctx, stream: stream, opts: opts, each: each}
	for i, f := range files {
		if ctx.Err() != nil {
			return
		}
		s, small := g.read(f)
		if !small {
			g.land()
			g.alone(i, f)
			continue
		}
		s.at = i
		g.waiting, g.bytes = append(g.waiting, s), g.bytes+len(s.content)
		if len(g.waiting) == groupFiles || g.bytes >= groupContents {
			g.land()
		}
	}
	g.land()
}

// grouping gathers small files to land them together.
type grouping struct {
	ctx     context.Context
	stream  *landing.Stream
	opts    Options
	each    func(i int, o Outcome, err error)
	waiting []smallContents
	bytes   int // of their contents
}

// smallContents is a small file that was read, and of which all records are rows.
type smallContents struct {
	at       int // which file it is
	file     File
	content  []byte
	identity landing.Identity
	rows     int64
}

func (g *grouping) alone(i int, f File) {
	outcome, err := landFile(g.ctx, g.stream, f, g.opts)
	g.each(i, outcome, err)
}

// read reads a file if it is small and there is nothing to say of it. All others land
// alone, where it is said.
func (g *grouping) read(f File) (s smallContents, small bool) {
	if _, typed := typedFormats[g.opts.Format]; typed {
		return s, false
	}
	file, err := openRegular(f.Path)
	if err != nil {
		return s, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() > smallFile {
		return s, false
	}
	watched, err := watchOver(file, f.Version)
	if err != nil {
		return s, false
	}
	s = smallContents{file: f}
	if s.content, err = contentOf(file, g.opts); err != nil {
		return s, false
	}
	s.identity = landing.Identity{Digest: digest.OfBytes(s.content), Size: int64(len(s.content))}
	if watched.held(g.ctx, s.identity, g.opts) != nil {
		return s, false
	}
	counts, err := g.decode(s, onlyRows{})
	s.rows = counts.Rows
	return s, err == nil
}

var errNotSmall = errors.New("the content is not small")

// contentOf reads the whole of a small content.
func contentOf(r io.Reader, opts Options) ([]byte, error) {
	plain, err := Decompress(r, opts.MaxWindow)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	content, err := io.ReadAll(io.LimitReader(plain, smallContent+1))
	if err == nil && len(content) > smallContent {
		err = errNotSmall
	}
	return content, err
}

func (g *grouping) decode(s smallContents, to Sink) (Counts, error) {
	decoder, err := NewDecoder(g.stream.Spec(), g.opts)
	if err != nil {
		return Counts{}, err
	}
	return decoder.Decode(bytes.NewReader(s.content), to)
}

// onlyRows is a Sink that takes rows.
type onlyRows struct{}

var errReject = errors.New("a record is a reject")

func (onlyRows) Add(landing.Row) error       { return nil }
func (onlyRows) Reject(landing.Reject) error { return errReject }

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
			g.each(s.at, Outcome{Result: results[0], Name: landing.SourceName(s.file.Name), Identity: s.identity}, nil)
			fresh, results = fresh[1:], results[1:]
		default:
			g.alone(s.at, s.file)
		}
	}
}

// fresh are those whose contents have not landed, each content once.
func (g *grouping) fresh(all []smallContents) (fresh []smallContents, err error) {
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
func (g *grouping) commit(group []smallContents) ([]landing.Result, error) {
	intake, err := g.stream.Begin(landing.Source{Name: group[0].file.Name, Way: g.opts.withDefaults().Way})
	if err != nil {
		return nil, err
	}
	defer intake.Abort()
	members := make([]landing.Member, len(group))
	for i, s := range group {
		intake.From(s.file.Name)
		if _, err := g.decode(s, intake); err != nil {
			return nil, fmt.Errorf("read %q: %w", s.file.Name, err)
		}
		members[i] = landing.Member{Name: s.file.Name, Identity: s.identity, Version: s.file.Version, Rows: s.rows}
	}
	return intake.CommitMembers(g.ctx, members)
}
