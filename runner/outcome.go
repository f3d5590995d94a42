package runner

import (
	"errors"
	"fmt"
	"strings"

	"strandline/manifests"
)

// outcomeOf is what became of an attempt, as an edit says.
func outcomeOf(a attempt, published manifests.Outcome) Outcome {
	o := Outcome{
		Partition: a.status.Partition, Input: a.status.Input, Expired: a.status.Expired, Early: a.status.Early, Before: a.status.Tried(),
		Receipt: a.sealed.Receipt, Repeated: a.repeated, Err: a.err, Findings: a.sealed.Findings,
	}
	if o.Err != nil {
		return o
	}
	o.Verdict = published.Verdicts[a.status.String()]
	if a.stands {
		o.Verdict = manifests.Already
	}
	switch o.Verdict {
	case manifests.Swap, manifests.Held, manifests.Repaired:
		o.Version = published.Version
	case manifests.NonDeterministic:
		o.Err = errNonDeterministic
	}
	return o
}

var errNonDeterministic = errors.New("non-deterministic: the same input and code gave other rows than those published, which stand; if the code is sound, one of the two was computed from damaged data: strandline verify looks, and backfill --rebuild replaces the table, as long as no raw rows of it have expired")

// hindrance says which of outcomes that belong together were not fit to be published, and why
// the first was not.
func hindrance(outcomes []Outcome) (why string) {
	others := 0
	for _, o := range outcomes {
		switch fault := o.fault(); {
		case fault == "":
		case why == "":
			why = fmt.Sprintf("all is published together or nothing is, and %s can't be", o.Partition) // of which its own outcome says why
		default:
			others++
		}
	}
	if others > 0 {
		why += fmt.Sprintf(" (and %d more)", others)
	}
	return why
}

// fault says why the partition keeps those from being published that are to be with it;
// nothing, if it does not.
func (o Outcome) fault() string {
	switch {
	case o.Err != nil:
		return o.Err.Error()
	case len(o.Violations) > 0:
		return strings.Join(o.Violations, "; ")
	case o.Verdict == manifests.Behind:
		return "a result of newer input stands"
	case o.Verdict == manifests.Withheld:
		return ""
	}
	return o.Reason()
}
