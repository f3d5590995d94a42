package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"strandline/ingest"
	"strandline/ingest/prefix"
	"strandline/internal/config"
	"strandline/internal/objstore"
)

// onceThrough takes in what a source has now, and ends.
type onceThrough interface {
	Once(ctx context.Context) error
}

// landDeclared lands what the stream's declared sources have now.
func (a *app) landDeclared(cmd *cobra.Command, l *lake, stream config.Stream) error {
	if stream.Dir == nil && stream.S3 == nil && stream.Kafka == nil {
		return misused(cmd, "stream %s declares no source to take in (dir, s3, kafka); name files, or - for standard input", stream.Name)
	}
	ctx := cmd.Context()
	var failed []error
	if stream.Dir != nil {
		failed = append(failed, a.once(ctx, stream, stream.Dir.Path, func(tell sourceEvents) (onceThrough, error) { return l.watchDir(stream, tell) }))
	}
	if stream.S3 != nil {
		failed = append(failed, a.landPrefix(ctx, l, stream, *stream.S3))
	}
	if stream.Kafka != nil {
		failed = append(failed, a.landTopics(ctx, l, stream))
	}
	return errors.Join(failed...)
}

// once takes in what one source has now.
func (a *app) once(ctx context.Context, stream config.Stream, source string, open func(sourceEvents) (onceThrough, error)) error {
	var failed []error
	news := false
	w, err := open(sourceEvents{
		landed: func(o ingest.Outcome) error { news = true; return a.landed(stream.Name, o) },
		report: func(name string, err error) { failed = append(failed, fmt.Errorf("%s: %w", printable(name), err)) },
	})
	if err == nil {
		err = w.Once(ctx)
	}
	if err := errors.Join(append(failed, err)...); err != nil || news {
		return err
	}
	a.note("strandline: %s has nothing that is new to stream %s", source, stream.Name)
	return nil
}

func (a *app) landPrefix(ctx context.Context, l *lake, stream config.Stream, o config.Objects) error {
	return a.once(ctx, stream, o.String(), func(tell sourceEvents) (onceThrough, error) { return l.watchPrefix(ctx, stream, o, tell) })
}

// isAddress tells whether an argument names an object, or a prefix, and no file.
func isAddress(arg string) bool { return strings.HasPrefix(arg, "s3://") }

// landAddress lands the object at s3://bucket/key, or all below s3://bucket/prefix/.
func (a *app) landAddress(ctx context.Context, l *lake, stream config.Stream, address string) error {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	if bucket == "" {
		return fmt.Errorf("land %s: it names no bucket; want s3://bucket/key, or s3://bucket/prefix/", address)
	}
	o := config.Objects{Bucket: bucket, Prefix: key, Reach: l.config.S3}
	if stream.S3 != nil && stream.S3.Bucket == bucket {
		o.Reach = stream.S3.Reach
	}
	if l.config.Lake.Overlaps(o, l.config.S3) {
		return fmt.Errorf("land %s: %w", address, errLakeThere)
	}
	if key == "" || strings.HasSuffix(key, "/") {
		return a.landPrefix(ctx, l, stream, o)
	}
	outcome, err := l.landObject(ctx, stream, o)
	if err != nil {
		return err
	}
	return a.landed(stream.Name, outcome)
}

// landObject lands the object of which o.Prefix is the key.
func (l *lake) landObject(ctx context.Context, stream config.Stream, o config.Objects) (ingest.Outcome, error) {
	bucket, err := l.openApart(ctx, o)
	if err != nil {
		return ingest.Outcome{}, err
	}
	version, err := bucket.Look(ctx, o.Prefix)
	if errors.Is(err, objstore.ErrNotFound) {
		return ingest.Outcome{}, fmt.Errorf("%w (all that lies below a prefix is named with a slash at its end)", err)
	}
	if err != nil {
		return ingest.Outcome{}, err
	}
	return prefix.Land(ctx, bucket, version, l.streams[stream.Name], l.readOptions(stream))
}
