package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/ingest"
	"strandline/internal/config"
)

// dirs starts a watcher for every stream that declares a folder.
func (s *streaming) dirs(ctx context.Context, group *errgroup.Group) error {
	for _, stream := range s.lake.config.Streams {
		if stream.Dir == nil {
			continue
		}
		if err := s.lake.checkLost(ctx, stream.Name); err != nil {
			return fmt.Errorf("watch for stream %s: %w", stream.Name, err)
		}
		kind := sourceDir
		if stream.Dir.Tail {
			kind = sourceTail
		}
		w, err := s.lake.watchDir(stream, s.eventsOf(kind, stream.Name))
		if err != nil {
			return err
		}
		s.app.note("watching %s for stream %s", stream.Dir.Path, stream.Name)
		group.Go(func() error { return w.Run(ctx) })
	}
	return nil
}

// sourceEvents are told what comes of a source.
type sourceEvents struct {
	landed func(ingest.Outcome) error
	report func(name string, err error) // what is wrong, and with what
	over   func()                       // what was wrong with the source as a whole has passed; nil: nobody asks
	oldest func(since time.Time)        // since when something waits; nil: nobody asks
}

// eventsOf returns what run does of what comes of a stream's source.
func (s *streaming) eventsOf(kind sourceKind, stream string) sourceEvents {
	return sourceEvents{
		landed: func(o ingest.Outcome) error { return s.landed(kind, stream, o) },
		report: func(name string, err error) { s.fault(kind, stream, fmt.Errorf("%s: %w", printable(name), err)) },
		over:   func() { s.over(stream, "its prefix is read again") },
		oldest: func(since time.Time) { s.metrics.Oldest(string(kind), stream, since) },
	}
}

// dirWatcher takes in a folder's files.
type dirWatcher struct {
	*ingest.Watcher
	to ingest.Lander
}

// Run takes in what comes, until ctx ends.
func (w dirWatcher) Run(ctx context.Context) error { return w.Watcher.Run(ctx, w.to) }

// Once takes in what is there.
func (w dirWatcher) Once(ctx context.Context) error { return w.Watcher.Once(ctx, w.to) }

// watchDir returns the watcher of the folder that a stream declares.
func (l *lake) watchDir(stream config.Stream, tell sourceEvents) (dirWatcher, error) {
	if err := checkFolders(l.config); err != nil {
		return dirWatcher{}, fmt.Errorf("watch for stream %s: %w", stream.Name, err)
	}
	d := stream.Dir
	folder := ingest.Folder{
		Dir: d.Path, Include: d.Include, Exclude: d.Exclude, Settle: d.Settle, Tail: d.Tail,
		AfterLanding: ingest.Action(d.AfterLanding), MoveTo: d.MoveTo,
	}
	watcher, err := ingest.NewWatcher(folder, tell.report)
	if err == nil {
		err = watcher.Find()
	}
	if err != nil {
		return dirWatcher{}, fmt.Errorf("watch for stream %s: %w", stream.Name, err)
	}
	watcher.Oldest = tell.oldest
	return dirWatcher{Watcher: watcher, to: l.dirLander(stream, tell)}, nil
}

func (l *lake) dirLander(stream config.Stream, tell sourceEvents) ingest.Lander {
	to, opts := l.streams[stream.Name], l.readOptions(stream)
	if !stream.Dir.Tail {
		return ingest.StreamLander{Stream: to, Options: opts, Landed: tell.landed}
	}
	return ingest.NewTailLander(ingest.TailLander{
		Stream: to, Options: opts, Landed: tell.landed, Report: tell.report,
	})
}
