package runner

import (
	"context"

	"strandline/window"
)

// look tells whether what is wanted of a partition is published already, and completes
// what is known of it, and how many failures count by now; nil: nobody else does what this
// process does.
type look func(context.Context, *window.Status) (stands bool, failed int, err error)

// lookAgain holds a partition of a plan against the table as it is when its turn comes: another
// process, or a request that this one works on, may have published just what the plan wants.
func (t *Task) lookAgain(plan window.Plan) look {
	return func(ctx context.Context, s *window.Status) (stands bool, failed int, err error) {
		table, err := t.table.Snapshot(ctx)
		if err != nil {
			return false, 0, err
		}
		receipt, is := table.Receipt(s.String())
		if !is {
			return false, 0, nil
		}
		s.Receipt = &receipt
		return receipt.Fingerprint == plan.Fingerprint && receipt.InputDigest == s.Input.Digest, 0, nil
	}
}
