package engines

import "context"

// Ending is how the work on a slice ended, which says what an engine does next. It is the
// exit code of a process that works one. Go ends a process with 2 that dies of a fault, so
// that Misused says nothing for sure: it is tried again too.
type Ending int

// The endings. Any other, such as a signal's, is TryAgain.
const (
	Succeeded  Ending = 0 // all is published that was to be, or was before
	TryAgain   Ending = 1 // it broke off: what is published stands, another try does the rest
	Misused    Ending = 2 // the command line or configuration is wrong, or the process died of a fault
	SomeFailed Ending = 3 // some partitions failed or are held, for good; the others are published
	Refused    Ending = 4 // as the plan is of another lake, or of code that was replaced, or so many failed as it was to end at
)

// Succeeded tells whether the slice is done.
func (e Ending) Succeeded() bool { return e == Succeeded }

// Again tells whether another try may do better.
func (e Ending) Again() bool { return e != Succeeded && !e.slice() && !e.Plan() }

// slice tells that the slice has failed for good, which says nothing of others.
func (e Ending) slice() bool { return e == SomeFailed }

// Plan tells that all slices of the plan would end alike, so that none is to be begun.
func (e Ending) Plan() bool { return e == Refused }

// Work works one slice of a plan, wherever that is: it is plans, runner and the lake that
// an engine never sees. Why it did not succeed is in the error. It ends soon after ctx is
// done, with TryAgain unless it has ended by then.
type Work func(ctx context.Context, ref Ref, slice int) (Ending, error)
