package kafka

import (
	"context"
	"time"
)

// Run lands what comes until ctx ends. Trouble with the brokers or with the lake ends
// nothing: it is reported, and tried again after a while. So is a LostError, since
// somebody may accept the loss meanwhile.
func (s *Source) Run(ctx context.Context) {
	told := ""
	for wait := s.opts.Retry; ; wait = min(2*wait, time.Minute) {
		some, err := s.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		if some {
			told, wait = "", s.opts.Retry
		}
		if text := err.Error(); text != told {
			told = text
			s.opts.Trouble(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// follow lands what comes until there is trouble; some tells whether anything landed.
func (s *Source) follow(ctx context.Context) (some bool, err error) {
	now, held, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	r := s.newReading(now, held)
	if err := r.join(); err != nil {
		return false, err
	}
	defer r.close()
	for {
		b, err := r.fill(ctx)
		if err != nil {
			return some, err
		}
		if len(b.reads) > 0 {
			err = r.land(ctx, b)
		}
		b.intake.Abort()
		r.client.AllowRebalance()
		if err != nil {
			return some, err
		}
		some = some || len(b.reads) > 0
	}
}

// begin tells where to read on, by a connection of its own.
func (s *Source) begin(ctx context.Context) (standing, map[Partition]Offsets, error) {
	c, err := s.opts.open(s.opts.Topics)
	if err != nil {
		return standing{}, nil, err
	}
	defer c.close()
	return s.stand(ctx, c)
}
