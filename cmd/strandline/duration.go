package main

import (
	"time"

	"strandline/window"
)

// durationFlag is a flag that is written as durations are in strandline.yaml.
type durationFlag struct{ *time.Duration }

func (d durationFlag) Set(text string) (err error) {
	*d.Duration, err = window.ParseDuration(text)
	return err
}

// String writes the default for the help, without zeros at its end: nothing where that is none.
func (d durationFlag) String() string {
	if d.Duration == nil || *d.Duration == 0 {
		return ""
	}
	return window.FormatDuration(*d.Duration)
}

func (d durationFlag) Type() string { return "duration" }
