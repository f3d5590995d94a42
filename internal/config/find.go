package config

import "fmt"

// Stream returns the stream of that name. The error is a *Problem that names
// the nearest one.
func (c *Config) Stream(name string) (Stream, error) {
	var names []string
	for _, s := range c.Streams {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Stream{}, c.undeclared("stream", name, names)
}

// Job returns the job of that name, which is also its table's name. The error
// is a *Problem that names the nearest one.
func (c *Config) Job(name string) (Job, error) {
	var names []string
	for _, j := range c.Jobs {
		if j.Name == name {
			return j, nil
		}
		names = append(names, j.Name)
	}
	return Job{}, c.undeclared("job", name, names)
}

// JobsFrom returns the jobs that read a stream, in the file's order.
func (c *Config) JobsFrom(stream string) []Job {
	var out []Job
	for _, j := range c.Jobs {
		if _, reads := j.StreamInput(stream); reads {
			out = append(out, j)
		}
	}
	return out
}

func (c *Config) undeclared(noun, name string, names []string) error {
	return &Problem{File: c.Path, Text: fmt.Sprintf("no %s %q is declared%s", noun, name, nearestOr(noun, name, names))}
}
