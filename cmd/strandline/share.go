package main

import (
	"fmt"
	"strconv"
	"strings"
)

// share is the part of some work that one of several processes does: the index-th of so
// many, counted from 0. The zero share is not one.
type share struct{ index, of int }

// automatic is how a share is named that the environment tells.
const automatic = "auto"

// parseShare reads I/N or, as the environment has it, auto/N or auto.
func (a *app) parseShare(text string) (share, error) {
	index, of, given := strings.Cut(text, "/")
	n := 0
	if given {
		var err error
		if n, err = strconv.Atoi(of); err != nil || n < 1 {
			return share{}, fmt.Errorf("%q: want I/N, the I-th of N, counted from 0, or auto/N or auto, as a scheduler sets it", text)
		}
	}
	if index == automatic {
		s, set, err := a.shareOfArray(n)
		if err == nil && !set {
			err = fmt.Errorf("%q: no scheduler has set which one this process is; want one of %s", text, variables())
		}
		return s, err
	}
	i, err := strconv.Atoi(index)
	if err != nil || !given {
		return share{}, fmt.Errorf("%q: want I/N, the I-th of N, counted from 0, or auto/N or auto, as a scheduler sets it", text)
	}
	return share{i, n}, share{i, n}.check(text)
}

func (s share) check(what string) error {
	if s.index < 0 || s.index >= s.of {
		return fmt.Errorf("%s: %d of %d: they are counted from 0, so want at most %d", what, s.index, s.of, s.of-1)
	}
	return nil
}

// array is how a scheduler tells a process which one of an array it is: by variables with
// its number and, unless they are "", the first and last number, the step and how many
// there are.
type array struct{ name, index, first, last, step, count string }

var arrays = []array{
	{name: "a Kubernetes Indexed Job", index: "JOB_COMPLETION_INDEX"},
	{name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
	{name: "Slurm", index: "SLURM_ARRAY_TASK_ID", first: "SLURM_ARRAY_TASK_MIN", last: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP", count: "SLURM_ARRAY_TASK_COUNT"},
}

// variables names those that schedulers set.
func variables() string {
	var names []string
	for _, of := range arrays {
		names = append(names, of.index)
	}
	return strings.Join(names, ", ")
}

// shareOfArray is the share that a scheduler has set in the environment, if one has. n is
// how many there are, as far as the command line says so, or 0.
func (a *app) shareOfArray(n int) (s share, set bool, err error) {
	var by array
	for _, of := range arrays {
		if _, is := a.env(of.index); !is {
			continue
		}
		if set {
			return s, true, fmt.Errorf("both %s and %s are set: say which share this process does, as I/N", by.index, of.index)
		}
		by, set = of, true
	}
	if set {
		s, err = by.share(a.env, n)
	}
	return s, set, err
}

// share reads the variables, which are held against each other and against n.
func (of array) share(env func(string) (string, bool), n int) (s share, err error) {
	read := func(name string, unset int) (number int) {
		text, is := env(name)
		if name == "" || !is || err != nil {
			return unset
		}
		if number, err = strconv.Atoi(text); err != nil {
			err = fmt.Errorf("%s is %q: want a number, as %s sets it", name, text, of.name)
		}
		return number
	}
	index, first, step, count := read(of.index, 0), read(of.first, 0), read(of.step, 1), read(of.count, n)
	last := read(of.last, first+(count-1)*step)
	switch {
	case err != nil:
		return s, err
	case count < 1 && of.count != "":
		return s, fmt.Errorf("%s is %d, and %s is not set, or is 0: say of how many, as auto/N", of.index, index, of.count)
	case count < 1:
		return s, fmt.Errorf("%s is %d, and %s does not set of how many: say it, as auto/N", of.index, index, of.name)
	case n > 0 && n != count:
		return s, fmt.Errorf("%s is %d, and %d are asked for: some would never be done; to run one of them again say which, as I/%[3]d", of.count, count, n)
	case n == 0 && count == 1:
		return s, fmt.Errorf("%s is 1: alone it would do all; to run one of an array again say which and of how many, as 2/4, and for all say 0/1", of.count)
	case step > 0 && (last-first)/step+1 != count:
		return s, fmt.Errorf("the array has gaps, with %d of what is from %d to %d by steps of %d: want one without, such as 0-%d", count, first, last, step, count-1)
	case step < 1 || (index-first)%step != 0:
		return s, fmt.Errorf("%s is %d, which is no step of %d from %d", of.index, index, step, first)
	}
	s = share{(index - first) / step, count}
	return s, s.check(of.index)
}
