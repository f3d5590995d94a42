package main

import (
	"context"

	"github.com/spf13/cobra"

	"strandline/runner"
	"strandline/window"
)

// asking is what a command line asks of a job.
type asking struct {
	// request says it as far as the job decides. Its error is one of the command line.
	request func(window.Job) (runner.Request, error)
	// find, if not nil, completes it by what the lake has.
	find func(context.Context, *lake, *runner.Task, *runner.Request) error
}

// asked returns the task of a job of the configuration, and the request of it, done in the
// order that the manner says.
func (l *lake) asked(cmd *cobra.Command, jobName string, ask asking, m manner) (*runner.Task, runner.Request, error) {
	ctx := cmd.Context()
	job, err := l.config.Job(jobName)
	if err != nil {
		return nil, runner.Request{}, err
	}
	r, err := ask.request(job.Job)
	if err != nil {
		return nil, r, &usageError{command: cmd.CommandPath(), err: err}
	}
	r.Order = window.Order(m.order)
	task, err := l.task(ctx, job)
	if err == nil && ask.find != nil {
		err = ask.find(ctx, l, task, &r)
	}
	return task, r, err
}

// jobFirst is what is wrong with a command line, unless its job is none of the configuration:
// then that is.
func (a *app) jobFirst(jobName string, misused error) error {
	if misused == nil {
		return nil
	}
	if c, err := a.config(); err == nil {
		if _, err := c.Job(jobName); err != nil {
			return err
		}
	}
	return misused
}
