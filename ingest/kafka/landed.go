package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"strandline/landing"
)

// landed returns up to which offset each partition has landed, of all clusters and
// topics that ever did.
func (s *Source) landed(ctx context.Context) (map[Partition]int64, error) {
	if err := s.stream.Refresh(ctx); err != nil {
		return nil, err
	}
	landed := map[Partition]int64{}
	s.stream.View(func(state *landing.State) {
		for source, at := range state.ProgressOf(scheme) {
			if p, ok := ParsePartition(source); ok {
				landed[p] = at
			}
		}
	})
	return landed, nil
}

// stand finds out where to read on. Where a topic is new to the stream it first has the
// landing log say where that begins, so that every later look begins there too.
func (s *Source) stand(ctx context.Context, c *cluster) (standing, map[Partition]Offsets, error) {
	held, err := c.look(ctx)
	if err != nil {
		return standing{}, nil, fmt.Errorf("ask Kafka at %s: %w", strings.Join(s.opts.Brokers, ", "), err)
	}
	for {
		landed, err := s.landed(ctx)
		if err != nil {
			return standing{}, nil, err
		}
		now := judge(held, landed)
		if len(now.lost) > 0 {
			return now, held, &LostError{Stream: s.stream.Spec().Stream, Lost: now.lost}
		}
		if len(now.fresh) == 0 {
			return now, held, nil
		}
		if err := s.pin(ctx, c, now.fresh, held); err != nil && !errors.Is(err, landing.ErrMoved) {
			return standing{}, nil, err
		}
	}
}

// pin has the landing log say where to begin. With landing.ErrMoved somebody else has
// done so meanwhile.
func (s *Source) pin(ctx context.Context, c *cluster, fresh []Partition, held map[Partition]Offsets) error {
	from, err := c.begin(ctx, s.opts.Start, fresh, held, s.opts.Uncommitted)
	if err != nil {
		return err
	}
	var progress []landing.Progress
	for _, p := range fresh {
		progress = append(progress, landing.Progress{Source: p.String(), From: from[p], To: from[p]})
	}
	return s.record(ctx, progress)
}

// record commits progress without rows.
func (s *Source) record(ctx context.Context, progress []landing.Progress) error {
	intake, err := s.stream.Begin(landing.Source{Name: s.name()})
	if err != nil {
		return err
	}
	_, err = intake.CommitAs(ctx, landing.Claim{Progress: progress})
	return err
}

// name is what arrivals are called.
func (s *Source) name() string { return scheme + strings.Join(s.opts.Topics, ",") }
