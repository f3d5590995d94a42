package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/internal/config"
	"strandline/internal/duck"
	"strandline/manifests"
	"strandline/window"
)

// compiler compiles jobs, each after those whose tables it reads.
type compiler struct {
	config *config.Config
	engine *duck.Engine
	// pin returns what a job's lookup holds.
	pin func(context.Context, config.Job, config.LookupFile) (window.Lookup, error)
	// foreign returns a table that another process computes, as it is now.
	foreign func(context.Context, string) (*manifests.Snapshot, error)
	done    map[string]*window.Compiled
}

// compile compiles a job. The error says where in the file its SQL is.
func (c *compiler) compile(ctx context.Context, job config.Job) (*window.Compiled, error) {
	if compiled := c.done[job.Name]; compiled != nil {
		return compiled, nil
	}
	shapes := make([]window.Shape, len(job.Inputs))
	for i, in := range job.Inputs {
		var err error
		if shapes[i], err = c.shape(ctx, in); err != nil {
			return nil, fmt.Errorf("job %s: %w", job.Name, err)
		}
	}
	declared := job.Job
	for _, file := range job.LookupFiles {
		pinned, err := c.pin(ctx, job, file)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", job.Name, err)
		}
		declared.Lookups = append(declared.Lookups, pinned)
	}
	compiled, err := window.Compile(ctx, c.engine, declared, shapes...)
	if errors.Is(err, window.ErrJob) {
		err = fmt.Errorf("%s:%d: %w", c.config.Path, job.SQLLine, err)
	}
	if err != nil {
		return nil, err
	}
	c.done[job.Name] = compiled
	return compiled, nil
}

// shape is what the rows of an input are made of.
func (c *compiler) shape(ctx context.Context, in window.Input) (window.Shape, error) {
	if !in.Table {
		stream, err := c.config.Stream(in.Name)
		return window.StreamShape(stream.Spec), err
	}
	if slices.Contains(c.config.Tables, in.Name) {
		table, err := c.foreign(ctx, in.Name)
		if err != nil {
			return window.Shape{}, err
		}
		return window.ShapeOf(table)
	}
	job, err := c.config.Job(in.Name)
	if err != nil {
		return window.Shape{}, err
	}
	upstream, err := c.compile(ctx, job)
	if err != nil {
		return window.Shape{}, err
	}
	return upstream.Shape(), nil
}
