package landing

import (
	"context"
	"fmt"
	"math"
	"time"

	"strandline/internal/log"
)

// Trim removes what opening the landing log does not need, once it is older than
// the grace: nobody asks for an older state of a stream.
func (s *Stream) Trim(ctx context.Context, grace time.Duration) (log.Trim, error) {
	return s.trimmed(s.follow.Log().Trim(ctx, needed(grace)))
}

// PlanTrim says what Trim would remove.
func (s *Stream) PlanTrim(ctx context.Context, grace time.Duration) (log.Trim, error) {
	return s.trimmed(s.follow.Log().PlanTrim(ctx, needed(grace)))
}

func needed(grace time.Duration) log.Keep { return log.Keep{From: math.MaxUint64, Grace: grace} }

func (s *Stream) trimmed(trim log.Trim, err error) (log.Trim, error) {
	if err != nil {
		err = fmt.Errorf("trim the landing log of stream %s: %w", s.spec.Stream, err)
	}
	return trim, err
}
