package main

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/config"
	"strandline/internal/duck"
	"strandline/window"
)

// compiler compiles jobs, each after those whose tables it reads.
type compiler struct {
	config *config.Config
	engine *duck.Engine
	done   map[string]*window.Compiled
}

func newCompiler(cfg *config.Config, engine *duck.Engine) *compiler {
	return &compiler{config: cfg, engine: engine, done: map[string]*window.Compiled{}}
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
			return nil, err
		}
	}
	compiled, err := window.Compile(ctx, c.engine, job.Job, shapes...)
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
