package main

import (
	"context"
	"errors"
	"fmt"

	"strandline/engines"
	"strandline/requests"
)

// engineFact is what an engine says of a request that is not left to the workers of the lake.
// How far that is comes from the table, whether the engine can be asked or not.
type engineFact struct {
	State     engines.State `json:"state,omitempty"`
	Parallel  int           `json:"parallel,omitempty"`
	Active    int           `json:"slices_active"`
	Succeeded int           `json:"slices_succeeded"`
	Failed    int           `json:"slices_failed"`
	Message   string        `json:"message,omitempty"` // why it is so
	Error     string        `json:"error,omitempty"`   // why it can't be asked; then nothing else is known
}

// askEngine has the engine of a request tell of it: nil where that is the workers of the
// lake. That it can't be asked is told, and is no failure.
func (l *lake) askEngine(ctx context.Context, r *requests.Request) *engineFact {
	if r.On == "" {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	engine, err := l.engineOn(r.On)
	var o engines.Observation
	if err == nil {
		o, err = engine.Observe(limited, r.Plan)
	}
	switch {
	case errors.Is(err, engines.ErrUnknown):
		return &engineFact{Message: "it has no Job of the plan, or not any more"}
	case err != nil:
		return &engineFact{Error: err.Error()}
	}
	return &engineFact{State: o.State, Parallel: o.Parallel, Active: o.Active, Succeeded: o.Succeeded, Failed: o.Failed, Message: o.Message}
}

// line tells in one line what the engine of a name says.
func (f engineFact) line(name string) string {
	if f.Error != "" {
		return fmt.Sprintf("%s can't be asked: %s", name, f.Error)
	}
	if f.State == "" {
		return fmt.Sprintf("%s: %s", name, f.Message)
	}
	text := fmt.Sprintf("%s: %s, %d at a time: %d active, %d succeeded, %d failed", name, f.State, f.Parallel, f.Active, f.Succeeded, f.Failed)
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}
