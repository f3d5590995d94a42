package ingest

import (
	"context"
	"crypto/sha256"
	"hash"
	"hash/maphash"
	"io"

	"strandline/internal/digest"
	"strandline/landing"
)

// content is a source's decompressed bytes, whose identity is known once they were read.
type content interface {
	io.Reader
	known() (landing.Identity, error)
}

// identifier takes the identity of what is read through it.
type identifier struct {
	r    io.Reader
	hash hash.Hash
	size int64
}

func identify(r io.Reader) *identifier { return &identifier{r: r, hash: sha256.New()} }

func (i *identifier) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	i.hash.Write(p[:n])
	i.size += int64(n)
	return n, err
}

// identity returns the identity of what was read until now.
func (i *identifier) identity() landing.Identity {
	return landing.Identity{Digest: digest.Hash(i.hash.Sum(nil)), Size: i.size}
}

func (i *identifier) known() (landing.Identity, error) { return i.identity(), nil }

// Identify reads r to its end and returns the identity of its decompressed
// content. Errors are those of Decompress, of r and of ctx.
func Identify(ctx context.Context, r io.Reader, opts Options) (landing.Identity, error) {
	id, _, err := look(ctx, r, opts)
	return id, err
}

// look is Identify that also returns what tells the same content when it is read again.
func look(ctx context.Context, r io.Reader, opts Options) (landing.Identity, sight, error) {
	plain, err := Decompress(interruptible{ctx, r}, opts.MaxWindow)
	if err != nil {
		return landing.Identity{}, sight{}, err
	}
	defer plain.Close()
	seen := witness{r: plain}
	seen.hash.SetSeed(witnessSeed)
	content := identify(&seen)
	if err := readAll(content); err != nil {
		return landing.Identity{}, sight{}, err
	}
	return content.identity(), seen.sight(), nil
}

// readAll reads r to its end. io.Discard would, too, and in pieces of 8 KiB.
func readAll(r io.Reader) error {
	buf := make([]byte, lookaheadSize)
	for {
		switch _, err := r.Read(buf); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// sight is what a witness remembers of a content. The key of its hash is this process's
// own, so that nobody can make another content of the same sight; by chance one of 2^64
// has it.
type sight struct {
	size int64
	hash uint64
}

var witnessSeed = maphash.MakeSeed()

// witness takes the sight of what is read through it, for a tenth of what an identity
// costs.
type witness struct {
	r    io.Reader
	hash maphash.Hash
	size int64
}

func (w *witness) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	_, _ = w.hash.Write(p[:n]) // documented to return no error
	w.size += int64(n)
	return n, err
}

func (w *witness) sight() sight { return sight{w.size, w.hash.Sum64()} }

// secondReading reads a content that was identified before. It is known as ErrChanged
// unless it is still the same, and check finds nothing either.
type secondReading struct {
	witness
	id     landing.Identity
	before sight
	check  func() error
}

func (s *secondReading) known() (landing.Identity, error) {
	if s.sight() != s.before {
		return landing.Identity{}, ErrChanged
	}
	return s.id, s.check()
}

// interruptible is a reader that fails once its context has ended.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}
