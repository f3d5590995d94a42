package window

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

// Feed is where a recompute gets the rows of one input from.
type Feed struct {
	Stream *landing.Stream     // of a stream,
	UpTo   landing.Position    // whose rows below this position are read
	Table  *manifests.Snapshot // of a table, at the version that is read
}

// end is up to where the input is read.
func (f Feed) end() int64 {
	if f.Table != nil {
		return int64(f.Table.Version)
	}
	return int64(f.UpTo)
}

// positions are up to where feeds are read.
func (j Job) positions(feeds []Feed) manifests.Positions {
	read := manifests.Positions{}
	for i, in := range j.Inputs {
		read[in.At()] = feeds[i].end()
	}
	return read
}

// fetched are the files of one input on this machine.
type fetched struct {
	segments []duck.InputFile // of a stream, whose rows may be at or above upTo too
	upTo     landing.Position
	paths    []string // of a table
}

// withFiles calls fn with all that a partition is computed from. Where a file is removed
// while fn reads, all is fetched again: that finds what others put in its place, or
// tells that it is lost.
func (c *Compiled) withFiles(ctx context.Context, from Source, p Partition, fn func([]fetched) error) error {
	for {
		files, release, err := c.fetch(ctx, from, p)
		if err != nil {
			return err
		}
		err = fn(files)
		release()
		var paths []string
		for _, f := range files {
			paths = append(paths, f.all()...)
		}
		if !errors.Is(from.Files.Gone(err, paths...), objstore.ErrNotFound) {
			return err
		}
	}
}

// all are the paths of its files.
func (f fetched) all() []string {
	paths := slices.Clone(f.paths)
	for _, segment := range f.segments {
		paths = append(paths, segment.Path)
	}
	return paths
}

// fetch brings all that a partition is computed from to this machine, in the order of
// Job.Inputs. What it returns holds until release is called.
func (c *Compiled) fetch(ctx context.Context, from Source, p Partition) (files []fetched, release func(), err error) {
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	for i, in := range c.Inputs {
		var one fetched
		var done func()
		if in.Table {
			one.paths, done, err = c.fetchTable(ctx, from, in, from.Feeds[i].Table, p)
		} else {
			one.upTo = from.Feeds[i].UpTo
			one.segments, done, err = c.fetchStream(ctx, from, i, p)
		}
		if err != nil {
			release()
			return nil, nil, err
		}
		files, releases = append(files, one), append(releases, done)
	}
	return files, release, nil
}

// fetchStream brings the segments that hold the partition's rows of a stream below upTo,
// in order of position. They may hold rows at or above it too.
func (c *Compiled) fetchStream(ctx context.Context, from Source, i int, p Partition) (files []duck.InputFile, release func(), err error) {
	in, feed := c.Inputs[i], from.Feeds[i]
	err = feed.Stream.WithSegments(ctx, c.Hours(in, p), feed.UpTo, func(segments []landing.Segment) error {
		var paths []string
		paths, release, err = feed.Stream.Fetch(ctx, from.Files, segments)
		files = make([]duck.InputFile, len(paths))
		for at, path := range paths {
			files[at] = duck.InputFile{Path: path, Base: int64(segments[at].Base), Origins: c.shapes[i].Stream.Origins(segments[at]), Below: int64(feed.UpTo)}
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("fetch segments of stream %s: %w", in.Name, ofFile(err))
	}
	return files, release, nil
}

// fetchTable brings the files of the published partitions of a table that have a part in
// what is read.
func (c *Compiled) fetchTable(ctx context.Context, from Source, in Input, table *manifests.Snapshot, p Partition) (paths []string, release func(), err error) {
	var wanted []localfile.File
	reads := c.readsOf(in, p.span()).interval()
	for r := range table.Within(reads.Start, reads.End) {
		for _, f := range r.Files() {
			wanted = append(wanted, localfile.File{Key: manifests.DataKey(table.Table, r.Partition(), f.ID), Bytes: f.Bytes, Digest: f.Digest})
		}
	}
	paths, release, err = from.Files.Fetch(ctx, wanted)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch files of version %d of table %s: %w", table.Version, table.Table, ofFile(err))
	}
	return paths, release, nil
}

// ofFile is ErrDamage where a file is lost or damaged: other partitions may do without it.
func ofFile(err error) error {
	if errors.Is(err, objstore.ErrNotFound) || errors.Is(err, localfile.ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrDamage, err)
	}
	return err
}
