package config

import (
	"time"

	"strandline/landing"
	"strandline/window"
)

// watermark reads how a stream's watermark follows what lands. What is left out is as by
// default.
func (v value) watermark() landing.Watermark {
	w := landing.DefaultWatermark
	f := v.fields("delay", "idle", "skew")
	f.duration("delay", &w.Delay)
	f.duration("idle", &w.Idle)
	f.duration("skew", &w.Skew)
	if err := w.Validate(); err != nil {
		v.problem("%v", err)
	}
	return w
}

// duration reads a duration that may be missing.
func (f fields) duration(key string, into *time.Duration) {
	if v, ok := f.get(key); ok {
		if d, ok := v.duration(); ok {
			*into = d
		}
	}
}

// emission reads when a job publishes, and what becomes of what comes late.
func (f fields) emission(j *window.Job) {
	if v, ok := f.get("emit"); ok {
		emit, _ := v.oneOf(string(window.EmitOnUpdate), string(window.EmitOnClose))
		j.Emit = window.Emit(emit)
	}
	if v, ok := f.get("late"); ok {
		late, _ := v.oneOf(string(window.LateRecompute), string(window.LateHold))
		j.Late = window.LatePolicy(late)
		if j.Late == window.LateHold && len(j.Tables()) > 0 && len(j.Streams()) == 0 {
			v.problem("hold is of rows that land late in a stream, and the job reads %s alone: say late: hold upstream, in the job that reads the stream", inputNames(j.Inputs))
		}
	}
}
