package window

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

// Source is what a recompute reads from and writes to.
type Source struct {
	Engine  *duck.Engine
	Stream  *landing.Stream
	Files   *localfile.Cache
	Scratch string // a folder that the engine may write to
}

// Recompute computes one partition from the rows at positions below upTo. It
// is a pure function of those rows and the job's fingerprint. Errors: ErrJob,
// ErrResources, or what the store or ctx say.
func (c *Compiled) Recompute(ctx context.Context, from Source, s Status, upTo landing.Position) (Result, error) {
	result := Result{
		Partition: s.Partition, Input: s.Input, Fingerprint: c.Fingerprint,
		Positions: manifests.Positions{c.From: int64(upTo)},
	}
	files, release, err := c.fetch(ctx, from, s.Partition, upTo)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if result.Output, err = c.compute(ctx, from, s.Partition, files, upTo); err != nil {
		return Result{}, err
	}
	return result, nil
}

// compute runs the job's SQL over the partition's rows in files that are at
// positions below upTo, into a new folder in scratch.
func (c *Compiled) compute(ctx context.Context, from Source, p Partition, files []duck.InputFile, upTo landing.Position) (Output, error) {
	id, err := objstore.FreshID()
	if err != nil {
		return Output{}, err
	}
	session, err := from.Engine.Session(ctx)
	if err != nil {
		return Output{}, err
	}
	defer session.Close()
	made := Output{Dir: filepath.Join(from.Scratch, id)}
	if made.Repeated, err = c.relate(ctx, session, p.Interval, upTo, files); err != nil {
		return Output{}, c.classify(ctx, err)
	}
	if made.Files, err = session.CopySorted(ctx, c.statement.Text, c.Key, made.Dir); err != nil {
		_ = made.Remove() // what there is of it is worth nothing
		return Output{}, c.classify(ctx, err)
	}
	return made, nil
}

// fetch brings the segments that hold the partition's rows below upTo to this
// machine, in order of position. They may hold rows at or above it too.
func (c *Compiled) fetch(ctx context.Context, from Source, p Partition, upTo landing.Position) (files []duck.InputFile, release func(), err error) {
	err = from.Stream.WithSegments(ctx, c.Hours(p), upTo, func(segments []landing.Segment) error {
		var paths []string
		paths, release, err = from.Stream.Fetch(ctx, from.Files, segments)
		files = make([]duck.InputFile, len(paths))
		for i, path := range paths {
			files[i] = duck.InputFile{Path: path, Base: int64(segments[i].Base), Origins: c.stream.Origins(segments[i]), Below: int64(upTo)}
		}
		return err
	})
	if errors.Is(err, objstore.ErrNotFound) || errors.Is(err, localfile.ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrResources, err) // other partitions may do without that segment
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fetch segments of stream %s: %w", c.From, err)
	}
	return files, release, nil
}
