package kafka

import (
	"context"
	"errors"
	"fmt"

	"strandline/landing"
)

// AcceptGap accepts as lost all that LostError names now, and has the landing log keep
// that for ever. It returns what was accepted, which may be nothing. Where the brokers
// have lost offsets that did land, that is an error, and nothing is accepted.
func (s *Source) AcceptGap(ctx context.Context) ([]Lost, error) {
	c, err := s.opts.open()
	if err != nil {
		return nil, err
	}
	defer c.close()
	_, _, err = s.stand(ctx, c)
	lost, ok := errors.AsType[*LostError](err)
	if !ok {
		return nil, err
	}
	if errors.Is(lost, ErrOffsetsTakenBack) {
		return nil, lost
	}
	var progress []landing.Progress
	for _, l := range lost.Lost {
		progress = append(progress, landing.Progress{
			Source: l.Partition.String(), From: l.From, To: l.To,
			Gap: &landing.Gap{From: l.From, To: l.To, Reason: l.Kind.Error()},
		})
	}
	if err := s.record(ctx, progress); err != nil {
		return nil, fmt.Errorf("accept a gap: %w", err)
	}
	return lost.Lost, nil
}
