package ingest

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"

	"strandline/internal/digest"
	"strandline/landing"
)

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

// Identify reads r to its end and returns the identity of its decompressed
// content. Errors are those of Decompress, of r and of ctx.
func Identify(ctx context.Context, r io.Reader, opts Options) (landing.Identity, error) {
	plain, err := Decompress(interruptible{ctx, r}, opts.MaxWindow)
	if err != nil {
		return landing.Identity{}, err
	}
	defer plain.Close()
	content := identify(plain)
	if err := readAll(content); err != nil {
		return landing.Identity{}, err
	}
	return content.identity(), nil
}

// readAll reads r to its end. io.Discard would, too, and in pieces of 8 KiB.
func readAll(r io.Reader) error {
	buf := make([]byte, firstRead)
	for {
		n, err := r.Read(buf)
		if n == len(buf) && n < lookaheadSize {
			buf = make([]byte, 2*n)
		}
		switch err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
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
