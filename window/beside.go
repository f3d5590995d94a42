package window

import "time"

// beside tells whether more of the input is read than the windows of a partition.
func (in Input) beside() bool { return in.Before > 0 || in.After > 0 }

// showsOf returns the event times of an input that is read beside: of these, all rows are
// seen. They are those of which rows may lie in a partition's windows, and Before and After.
func (j Job) showsOf(in Input, p span) span {
	holds := j.peoples(p)
	if holds.from >= holds.to {
		return holds
	}
	if j.Window.Kind == Session {
		holds.to += j.Window.Max.Microseconds() // the last row of one that begins last
	}
	return span{holds.from - in.Before.Microseconds(), holds.to + in.After.Microseconds()}
}

// reachOf is how far outside a partition the event times of an input may lie, at most,
// that it is computed from.
func (j Job) reachOf(in Input) time.Duration {
	if !in.beside() {
		return j.reach()
	}
	return j.reach() + j.Window.Max + in.Before + in.After
}

// seen says which windows of an input's rows a partition sees.
type seen struct {
	starting span // those that start in it
	of       span // if not empty: instead, all that rows of it lie in
}

// seesOf is what a partition sees of an input.
func (j Job) seesOf(in Input, p span) seen {
	if in.beside() {
		return seen{p, j.showsOf(in, p)}
	}
	return seen{starting: p}
}

// starts returns where the tumbling or hopping windows start that are seen.
func (w Window) starts(s seen) span {
	switch {
	case s.of.from >= s.of.to:
		return s.starting
	case w.Kind == Hopping:
		return span{s.of.from - w.longest().Microseconds(), s.of.to}
	}
	return span{w.floor(s.of.from), s.of.to}
}
