package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"strandline/ingest/prefix"
	"strandline/internal/config"
	"strandline/internal/objstore"
)

// prefixes starts a watcher for every stream that declares a prefix of a bucket.
func (s *streaming) prefixes(ctx context.Context, group *errgroup.Group) error {
	for _, stream := range s.lake.config.Streams {
		if stream.S3 == nil {
			continue
		}
		if err := s.lake.checkLost(ctx, stream.Name); err != nil {
			return fmt.Errorf("watch for stream %s: %w", stream.Name, err)
		}
		w, err := s.lake.watchPrefix(ctx, stream, *stream.S3, s.eventsOf(sourceS3, stream.Name))
		if err != nil {
			return err
		}
		s.app.note("watching %s for stream %s", stream.S3, stream.Name)
		group.Go(func() error { return w.Run(ctx) })
	}
	return nil
}

// watchPrefix returns the watcher of a prefix for a stream.
func (l *lake) watchPrefix(ctx context.Context, stream config.Stream, o config.Objects, tell sourceEvents) (*prefix.Watcher, error) {
	bucket, err := l.openApart(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("watch for stream %s: %w", stream.Name, err)
	}
	source := prefix.Source{Bucket: bucket, Prefix: o.Prefix, Include: o.Include, Exclude: o.Exclude, Every: o.Every}
	return prefix.NewWatcher(source, prefix.Target{
		Stream: l.streams[stream.Name], Options: l.readOptions(stream), Landed: tell.landed, Report: tell.report, Over: tell.over, Oldest: tell.oldest,
	})
}

// errLakeThere says that a source is where the lake lies.
var errLakeThere = errors.New("the lake is there, and what it holds are its own files; name a prefix beside it")

// openApart returns the bucket of a source that must not be where the lake lies, by
// whatever endpoint either is reached.
func (l *lake) openApart(ctx context.Context, o config.Objects) (*objstore.Bucket, error) {
	bucket, err := openBucket(ctx, o)
	if err != nil || !l.config.Lake.MayOverlap(o) {
		return bucket, err
	}
	holds, err := bucket.Holds(ctx, l.store)
	if holds {
		err = fmt.Errorf("%s at %s: %w", o, o.Reach.Endpoint, errLakeThere)
	}
	return bucket, err
}

func openBucket(ctx context.Context, o config.Objects) (*objstore.Bucket, error) {
	return objstore.OpenBucket(ctx, objstore.S3Options{
		Bucket: o.Bucket, Endpoint: o.Reach.Endpoint, Region: o.Reach.Region, PathStyle: o.Reach.PathStyle,
	})
}
