package main

import (
	"fmt"

	"strandline/engines"
)

// engineFact is what an engine says of a request that is not left to the workers of the lake.
// The counts are of slices: how far partitions are comes from the table, whether the engine
// can be asked or not.
type engineFact struct {
	State     engines.State `json:"state"`
	Parallel  int           `json:"parallel"`
	Active    int           `json:"slices_active"`
	Succeeded int           `json:"slices_succeeded"`
	Failed    int           `json:"slices_failed"`
	Message   string        `json:"message,omitempty"` // why it is so
}

func engineFactOf(seen *observed) *engineFact {
	if !seen.tells() {
		return nil
	}
	return &engineFact{seen.State, seen.Parallel, seen.Active, seen.Succeeded, seen.Failed, seen.Message}
}

// line tells in one line what the engine of a name says.
func (f engineFact) line(name string) string {
	text := fmt.Sprintf("%s says: %s, %d at a time: %d active, %d succeeded, %d failed", name, f.State, f.Parallel, f.Active, f.Succeeded, f.Failed)
	if f.Message != "" {
		text += "; " + f.Message
	}
	return text
}
