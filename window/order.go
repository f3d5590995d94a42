package window

import (
	"bytes"
	"fmt"
	"slices"

	"strandline/internal/digest"
)

// Order is the order in which the partitions of a plan are computed. The zero Order is
// Newest.
type Order string

// The orders.
const (
	Newest Order = "newest" // who looks at what happened last waits least
	Oldest Order = "oldest"
	// Random mixes partitions that are dear with those that are cheap, and tells early how
	// many fail. It is always the same for the same code and partitions.
	Random Order = "random"
)

// ParseOrder reads an order; "" is Newest.
func ParseOrder(text string) (Order, error) {
	switch o := Order(text); o {
	case "":
		return Newest, nil
	case Newest, Oldest, Random:
		return o, nil
	}
	return "", fmt.Errorf("order %q: want newest, oldest or random", text)
}

// Arrange puts the plan's tasks, which come oldest first, into an order. Those that were
// tried before come last: they are likely to fail again, and should not use up what failures
// a run may have. Of the others those that two plans of the same code share are in the same
// order in both.
func (p *Plan) Arrange(o Order) {
	switch o {
	case Oldest:
	case Random:
		p.shuffle()
	default:
		slices.Reverse(p.Tasks)
	}
	slices.SortStableFunc(p.Tasks, func(a, b Status) int { return rank(a) - rank(b) })
}

// rank is greater of what comes last.
func rank(s Status) int {
	if s.Tried() {
		return 1
	}
	return 0
}

// Tried tells whether the partition, as it is by data and code, has failed or is held.
func (s Status) Tried() bool { return s.State == Failed || s.State == Held && s.Candidate != nil }

// shuffle puts the tasks in the order of digests of their names.
func (p *Plan) shuffle() {
	type drawn struct {
		by   digest.Hash
		task Status
	}
	all := make([]drawn, len(p.Tasks))
	for i, s := range p.Tasks {
		all[i] = drawn{digest.OfBytes([]byte(p.Fingerprint.String() + " " + s.String())), s}
	}
	slices.SortFunc(all, func(a, b drawn) int { return bytes.Compare(a.by[:], b.by[:]) })
	for i := range all {
		p.Tasks[i] = all[i].task
	}
}
