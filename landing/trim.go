package landing

import (
	"context"
	"fmt"
	"math"
	"time"

	"strandline/internal/log"
)

// Trim removes what opening the landing log does not need, once it is older than
// the grace: nobody asks for an older state of a stream. A dry run only says
// what that is.
func (s *Stream) Trim(ctx context.Context, grace time.Duration, dryRun bool) (trim log.Trim, err error) {
	keep := log.Keep{From: math.MaxUint64, Grace: grace}
	if dryRun {
		trim, err = s.follow.Log().PlanTrim(ctx, keep)
	} else {
		trim, err = s.follow.Log().Trim(ctx, keep)
	}
	if err != nil {
		return trim, fmt.Errorf("trim the landing log of stream %s: %w", s.spec.Stream, err)
	}
	return trim, nil
}
