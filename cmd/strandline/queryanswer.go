package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"strandline/internal/duck"
	"strandline/internal/objstore"
	"strandline/manifests"
)

// asked is a query, and of which tables.
type asked struct {
	sql    string
	tables []string
	at     versions
	format duck.Format
}

// answer writes what a query says. A sweep may remove files of versions that expire while
// it is read: then it is asked again of newer ones, if nothing was written yet.
func (l *lake) answer(ctx context.Context, engine *duck.Engine, q asked, to io.Writer) error {
	out := &begun{Writer: to}
	var before map[string]manifests.Version
	for {
		read, err := l.answerOnce(ctx, engine, q, out)
		switch {
		case !errors.Is(err, objstore.ErrNotFound), maps.Equal(read, before):
			return err
		case out.yet:
			return fmt.Errorf("%w: what was written is not all; ask again", err)
		}
		before = read
	}
}

// answerOnce also returns which versions were read.
func (l *lake) answerOnce(ctx context.Context, engine *duck.Engine, q asked, out io.Writer) (read map[string]manifests.Version, err error) {
	session, err := engine.Session(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	read = map[string]manifests.Version{}
	var all []string
	for _, table := range q.tables {
		snapshot, err := l.snapshot(ctx, table, q.at)
		if err != nil {
			return read, err
		}
		read[table] = snapshot.Version
		paths, release, err := l.show(ctx, session, table, snapshot)
		if err != nil {
			return read, err
		}
		defer release()
		all = append(all, paths...)
	}
	return read, l.files.Gone(session.Write(ctx, q.sql, q.format, out), all...)
}

// begun tells whether anything was written.
type begun struct {
	io.Writer
	yet bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.yet = b.yet || len(p) > 0
	return b.Writer.Write(p)
}
