package main

import (
	"fmt"

	"strandline/engines"
	"strandline/plans"
	"strandline/requests"
)

// differs tells what an engine has otherwise than the lake, as where who changed a request was stopped in between
// or got no answer, and what to say to bring both together; "" where they agree, or the engine can't be asked.
// What is done by the table may be ending there still.
func (f *requestFact) differs(seen *observed) string {
	id := f.Request[:min(len(f.Request), plans.LeastPrefix)]
	switch {
	case seen != nil && seen.elsewhere != nil && f.live():
		return seen.elsewhere.Error()
	case seen != nil && seen.odd != nil && f.live():
		return seen.odd.Error()
	case !seen.goesOn() || f.State == requests.Done && !seen.anew || f.State == requests.InPart:
		return ""
	case seen.anew:
		return fmt.Sprintf("%s computes it once more, with %s active: submit the same again to follow that, or strandline backfill cancel %s", f.On, count(seen.Active, "slice"), id)
	case !f.live():
		return fmt.Sprintf("%s has not ended it, and has %s active: strandline backfill cancel %s, or resume", f.On, count(seen.Active, "slice"), id)
	case seen.State == engines.Paused && f.State != requests.Paused:
		return fmt.Sprintf("%s has it paused: strandline backfill resume %s, or pause", f.On, id)
	case seen.State != engines.Paused && f.State == requests.Paused:
		return fmt.Sprintf("%s goes on with it: strandline backfill pause %s, or resume", f.On, id)
	case seen.Parallel != f.Parallel:
		return fmt.Sprintf("%s runs %s at a time, and the lake has %d: strandline backfill resize %s --parallel N", f.On, count(seen.Parallel, "slice"), f.Parallel, id)
	}
	return ""
}
