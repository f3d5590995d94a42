package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"strandline/window"
)

// readable is what jobs may read.
type readable struct {
	streams streamColumns
	tables  map[string]bool // of jobs, and of other processes' jobs
}

// inputs reads what a job reads: a name, a list of them, or a map that says how far.
func (v value) inputs(job string, from readable) []window.Input {
	var out []window.Input
	switch {
	case v.node.Kind == yaml.MappingNode:
		for _, e := range v.entries("a map of streams and jobs, such as {orders: {}, payments: {after: 2d}}") {
			in := e.value.input(e.name, job, from)
			in.Before, in.After = e.value.beside()
			out = append(out, in)
		}
	default:
		for _, item := range v.items("a stream or a job, a list of them, or a map", true) {
			if name, ok := item.text(); ok {
				out = append(out, item.input(name, job, from))
			}
		}
	}
	v.eachOnce(out)
	window.SortInputs(out)
	if len(out) == 0 {
		out = window.FromStream("") // its problem is told
	}
	return out
}

// eachOnce adds a problem for what is named twice, or where nothing is.
func (v value) eachOnce(inputs []window.Input) {
	seen := map[string]bool{}
	for _, in := range inputs {
		if seen[in.Name] {
			v.problem("%s is named twice; to join it to itself, name it twice in SQL", in.Name)
		}
		seen[in.Name] = true
	}
	if v.isEmpty(yaml.MappingNode) || v.isEmpty(yaml.SequenceNode) {
		v.problem("names nothing to read")
	}
}

// input returns the input of a name, with a problem where nothing is called so.
func (v value) input(name, job string, from readable) window.Input {
	_, isStream := from.streams[name]
	switch {
	case name == job && !isStream:
		v.problem("a job can't read its own table")
	case !isStream && !from.tables[name]:
		names := slices.Concat(slices.Collect(maps.Keys(from.streams)), slices.Collect(maps.Keys(from.tables)))
		names = slices.DeleteFunc(names, func(n string) bool { return n == job })
		slices.Sort(names)
		v.problem("no stream or job %q is declared%s", name, nearestOr("name", name, slices.Compact(names)))
	}
	return window.Input{Name: name, Table: !isStream && from.tables[name] && name != job}
}

// beside reads how much event time of an input is read beside a partition's.
func (v value) beside() (before, after time.Duration) {
	if v.isNothing() {
		return 0, 0
	}
	f := v.fields("before", "after")
	if v, ok := f.get("before"); ok {
		before = v.margin()
	}
	if v, ok := f.get("after"); ok {
		after = v.margin()
	}
	return before, after
}

func (v value) margin() time.Duration {
	d := v.notNegative()
	switch {
	case d > window.Longest:
		v.problem("%s is more than %s, which is as far as a job may read beside its partition", window.FormatDuration(d), window.FormatDuration(window.Longest))
	case d%time.Microsecond != 0:
		v.problem("%v: want a whole number of microseconds, the finest that event times have", d)
	}
	return d
}

// alone adds problems for what goes only with one stream.
func (f fields) alone(j window.Job) {
	sole := len(j.Inputs) == 1 && !j.Inputs[0].Table
	if v, ok := f.get("dedup"); ok && !sole {
		v.problem("dedup is of the rows of one stream, and the job reads %s; choose rows in SQL, as by QUALIFY row_number() OVER (PARTITION BY … ORDER BY position) = 1", inputNames(j.Inputs))
	}
}

func inputNames(inputs []window.Input) string {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.String()
	}
	return strings.Join(names, " and ")
}

// cycles adds a problem for each job that reads its own table by way of others.
func (v value) cycles(jobs []Job) {
	reads := map[string][]string{}
	for _, j := range jobs {
		reads[j.Name] = j.Tables()
	}
	done := map[string]bool{}
	for _, j := range jobs {
		if path := cycleFrom(j.Name, reads, nil, done); path != nil {
			v.problem("the jobs read each other in a circle: %s", strings.Join(path, " reads "))
		}
	}
}

// cycleFrom returns a path that leads back to where it comes by, from a job on. Jobs that
// are done are in none, or in one that was told.
func cycleFrom(job string, reads map[string][]string, path []string, done map[string]bool) []string {
	if at := slices.Index(path, job); at >= 0 {
		return append(path[at:], job)
	}
	if done[job] {
		return nil
	}
	path = append(path, job)
	for _, upstream := range reads[job] {
		if cycle := cycleFrom(upstream, reads, path, done); cycle != nil {
			done[job] = true
			return cycle
		}
	}
	done[job] = true
	return nil
}
