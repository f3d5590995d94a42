package landing

import (
	"context"
	"fmt"
	"slices"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// Examined is what a stream's whole log came to.
type Examined struct {
	State *State // as of the newest entry that is known
	// Known is false if a fault hides what some entries came to, so that State
	// lacks the newest ones.
	Known bool
	// Segments, Archives and Arrivals are those of State, and those that sound
	// entries after it tell of. Of arrivals in archives only those that have files
	// of rejects are listed. Arrivals have the files of rejects that did not expire.
	Segments []Segment
	Archives []Archive
	Arrivals []Arrival
}

// Examine reads a stream's whole log, past any fault, each of which is told to
// found. The arrivals of sound entries are told to landed, in order, and step is
// told after each object that was read. It errs only where the store can't be
// listed or ctx ends.
func Examine(ctx context.Context, store objstore.Store, stream string, found func(log.Finding), landed func(entry uint64, a Arrival), step func(key string)) (*Examined, error) {
	var beyond []change // of sound entries since the newest known state
	out, err := log.Examination[*State]{
		Log: log.New(store, "landing/"+stream, log.Options{}), Empty: newState, Found: found, Step: step,
		Entry: func(e log.Entry, _ *State, folded bool) {
			c, err := decodeChange(e.Body)
			switch {
			case folded:
				beyond = nil
			case err == nil: // an entry that is none is refused by the state
				beyond = append(beyond, c)
			}
			if c, ok := c.(*Commit); ok && err == nil {
				for _, a := range c.arrivals() {
					landed(e.Number, a)
				}
			}
		},
	}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("examine the log of stream %s: %w", stream, err)
	}
	x := &Examined{
		State: out.State, Known: out.Known, Segments: out.State.Segments(),
		Archives: out.State.Archives(), Arrivals: slices.Collect(out.State.withRejects()),
	}
	if !out.Known {
		x.add(beyond)
	}
	return x, nil
}

// add adds what entries tell that can't be folded.
func (x *Examined) add(changes []change) {
	for _, c := range changes {
		switch c := c.(type) {
		case *Commit:
			x.Segments = append(x.Segments, c.Segments...)
			x.Arrivals = append(x.Arrivals, c.arrivals()...)
		case *Compaction:
			x.Segments = slices.DeleteFunc(x.Segments, func(s Segment) bool { return slices.Contains(c.Replaced, s.ID) })
			x.Segments = append(x.Segments, c.Segment)
		case *Archive:
			x.Archives = append(x.Archives, *c)
		case *Expiry:
			x.Segments = slices.DeleteFunc(x.Segments, func(s Segment) bool { return slices.Contains(c.Segments, s.ID) })
			x.Arrivals = slices.DeleteFunc(x.Arrivals, func(a Arrival) bool { return a.From < c.To && a.To <= c.To })
		}
	}
}
