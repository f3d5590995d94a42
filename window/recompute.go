package window

import (
	"context"
	"path/filepath"

	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

// Source is what a recompute reads from and writes to.
type Source struct {
	Engine  *duck.Engine
	Feeds   []Feed // in the order of Job.Inputs
	Files   *localfile.Cache
	Scratch string // a folder that the engine may write to
}

// Recompute computes one partition from what its feeds have. It is a pure function of
// those rows and the job's fingerprint. Errors: ErrJob, ErrResources, or what the store
// or ctx say.
func (c *Compiled) Recompute(ctx context.Context, from Source, s Status) (Result, error) {
	result := Result{
		Partition: s.Partition, Input: s.Input, Inputs: s.Inputs, Fingerprint: c.Fingerprint,
		Positions: c.positions(from.Feeds),
	}
	err := c.withFiles(ctx, from, s.Partition, func(files []fetched) (err error) {
		result.Output, err = c.compute(ctx, from, s.Partition, files)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return result, nil
}

// compute runs the job's SQL over the partition's rows in files, into a new folder in
// scratch.
func (c *Compiled) compute(ctx context.Context, from Source, p Partition, files []fetched) (Output, error) {
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
	if made.Repeated, err = c.relate(ctx, session, p.Interval, files); err != nil {
		return Output{}, c.classify(ctx, err)
	}
	if made.Files, err = session.CopySorted(ctx, c.statement.Text, c.Key, made.Dir); err != nil {
		_ = made.Remove() // what there is of it is worth nothing
		return Output{}, c.classify(ctx, err)
	}
	return made, nil
}
