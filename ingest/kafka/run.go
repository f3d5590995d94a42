package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Run lands what comes until ctx ends. Trouble with the brokers or with the lake ends
// nothing: it is reported, and tried again after a while. So is a LostError, since
// somebody may accept the loss meanwhile.
func (s *Source) Run(ctx context.Context) {
	t := &troubles{opts: s.opts}
	for wait := s.opts.Retry; ; wait = min(2*wait, time.Minute) {
		well, err := s.follow(ctx, t)
		if ctx.Err() != nil {
			return
		}
		if well {
			wait = s.opts.Retry
		}
		t.tell(err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// follow lands what comes until there is trouble; well tells whether it went well before.
func (s *Source) follow(ctx context.Context, t *troubles) (well bool, err error) {
	now, held, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	r := s.newReading(now, held)
	if err := r.join(); err != nil {
		return false, err
	}
	defer r.close()
	for heard := time.Now(); ; {
		some, err := r.next(ctx)
		if err != nil {
			return well, s.named(ctx, err)
		}
		if !some && time.Since(heard) < s.opts.Patience {
			continue
		}
		if !some { // the client tries again for ever, and says nothing of that
			if _, _, err := s.begin(ctx); err != nil {
				return well, err
			}
		}
		heard, well = time.Now(), true
		t.over()
	}
}

// next lands what comes within a batch's time; some tells whether that was anything.
func (r *reading) next(ctx context.Context) (some bool, err error) {
	b, err := r.fill(ctx)
	if err != nil {
		return false, err
	}
	defer r.client.AllowRebalance()
	defer b.intake.Abort()
	if len(b.reads) == 0 {
		return false, nil
	}
	return true, r.land(ctx, b)
}

// begin tells where to read on, by a connection of its own.
func (s *Source) begin(ctx context.Context) (standing, map[Partition]Offsets, error) {
	c, err := s.opts.open()
	if err != nil {
		return standing{}, nil, err
	}
	defer c.close()
	return s.stand(ctx, c)
}

// named is what is behind an error of the brokers, where a look at them tells: what they
// have lost, or a topic that is not there.
func (s *Source) named(ctx context.Context, err error) error {
	_, said := errors.AsType[*kerr.Error](err)
	_, wentBack := errors.AsType[*kgo.ErrDataLoss](err)
	if !said && !wentBack {
		return err
	}
	_, _, behind := s.begin(ctx)
	if _, lost := errors.AsType[*LostError](behind); lost || errors.Is(behind, ErrNoTopic) {
		return behind
	}
	return err
}
