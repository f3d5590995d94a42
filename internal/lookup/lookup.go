// Package lookup holds small tables that people keep in files beside their streams,
// such as of airports or prices. What a file holds is pinned by the SHA-256 of its
// bytes: the bytes go into the lake under that name, where they stay, so that a result
// can be computed again when the file has changed or is gone.
package lookup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// MaxBytes is how large a file may be: it is held in memory, and read whole by each
// partition that is computed.
const MaxBytes = 16 << 20

// ColumnPosition is a row's number in its file, 0, 1, 2 …, which tells rows apart.
const ColumnPosition = "position"

// Spec declares a lookup.
type Spec struct {
	Name    string
	File    string // the absolute path of a local file
	Options ingest.Options
	Columns []datafile.Column // declared, in the order of the configuration
}

// AllColumns are those that SQL sees: position, and the declared ones.
func (s Spec) AllColumns() []datafile.Column {
	position := datafile.Column{Name: ColumnPosition, Type: datafile.Type{Kind: datafile.BigInt}}
	return append([]datafile.Column{position}, s.Columns...)
}

// Content is what a lookup's file holds, or held.
type Content struct {
	Digest digest.Hash // SHA-256 of its bytes
	bytes  []byte
}

// ErrTooLarge says that a file is larger than MaxBytes.
var ErrTooLarge = errors.New("the file is too large for a lookup")

// Key is where the lake keeps a content.
func Key(content digest.Hash) string { return "lookups/" + content.String() }

// Keep brings the content into the lake, where it stays. Keeping it again does nothing, unless the
// lake has other bytes under its name: these are replaced.
func (c Content) Keep(ctx context.Context, store objstore.Store) error {
	if err := objstore.Keep(ctx, store, Key(c.Digest), c.bytes); err != nil {
		return fmt.Errorf("keep the content of a lookup as %s: %w", Key(c.Digest), err)
	}
	return nil
}

// ErrDamaged says that the lake has other bytes under a content's name.
var ErrDamaged = errors.New("the bytes are not those that were kept")

// Kept reads a content that the lake keeps. The error is objstore.ErrNotFound where it
// keeps none of that name, and ErrDamaged where it has other bytes.
func Kept(ctx context.Context, store objstore.Store, content digest.Hash) (Content, error) {
	text, err := store.Read(ctx, Key(content))
	if err == nil && sha256.Sum256(text) != content {
		err = ErrDamaged
	}
	if err != nil {
		return Content{}, fmt.Errorf("read the content of a lookup from %s: %w", Key(content), err)
	}
	return Content{content, text}, nil
}

// Write makes path a data file of the content's rows, with AllColumns. A content that
// is not rows of the declared columns, all of it, is an error.
func (s Spec) Write(c Content, path string) error {
	columns := s.AllColumns()
	w, err := datafile.Create(path, columns, datafile.Passing)
	if err != nil {
		return err
	}
	defer w.Abort()
	rows := &rows{to: w, vectors: datafile.NewVectors(columns)}
	if err := ingest.Rows(bytes.NewReader(c.bytes), s.Options, s.Columns, rows.take); err != nil {
		return fmt.Errorf("lookup %s: %s: %w", s.Name, s.File, ingest.OfLookup.About(err))
	}
	if err := rows.flush(); err != nil {
		return err
	}
	_, err = w.Close()
	return err
}

// rowGroup is how many rows a row group of the written file has.
const rowGroup = 32_768

// rows gathers row groups.
type rows struct {
	to       *datafile.Writer
	vectors  []*datafile.Vector
	position int64
}

func (r *rows) take(values []datafile.Value) error {
	r.vectors[0].AppendInteger(r.position)
	r.position++
	for i, v := range values {
		if err := r.vectors[i+1].Append(v); err != nil {
			return err
		}
	}
	if r.vectors[0].Len() < rowGroup {
		return nil
	}
	return r.flush()
}

func (r *rows) flush() error {
	if r.vectors[0].Len() == 0 {
		return nil
	}
	err := r.to.Group(r.vectors)
	for _, v := range r.vectors {
		v.Reset()
	}
	return err
}
