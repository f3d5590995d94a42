package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"strandline/internal/config"
)

// noSuch is the usageError of a name that the configuration does not declare.
func (l *lake) noSuch(cmd *cobra.Command, kind, name string, known []string) error {
	if len(known) == 0 {
		return misused(cmd, "there is no %s %q: %s declares none", kind, name, l.config.Path)
	}
	return misused(cmd, "%s", fmt.Sprintf("there is no %s %q in %s%s", kind, name, l.config.Path, config.DidYouMean(name, known)))
}

func (l *lake) stream(cmd *cobra.Command, name string) (config.Stream, error) {
	if s, ok := l.config.Stream(name); ok {
		return s, nil
	}
	return config.Stream{}, l.noSuch(cmd, "stream", name, names(l.config.Streams, func(s config.Stream) string { return s.Name }))
}

func (l *lake) job(cmd *cobra.Command, name string) (config.Job, error) {
	if j, ok := l.config.Job(name); ok {
		return j, nil
	}
	return config.Job{}, l.noSuch(cmd, "job", name, names(l.config.Jobs, func(j config.Job) string { return j.Name }))
}

// jobs are those named, or all where none is named.
func (l *lake) jobs(cmd *cobra.Command, args []string) ([]config.Job, error) {
	if len(args) == 0 {
		return l.config.Jobs, nil
	}
	var jobs []config.Job
	for _, name := range args {
		job, err := l.job(cmd, name)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

func names[T any](of []T, name func(T) string) []string {
	out := make([]string, len(of))
	for i, x := range of {
		out[i] = name(x)
	}
	return out
}
