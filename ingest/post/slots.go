package post

import (
	"context"
	"runtime"
)

// slots are places to decode in, of which there are as many as processors.
type slots chan struct{}

func newSlots() slots { return make(slots, runtime.GOMAXPROCS(0)) }

func (s slots) take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s slots) giveBack() { <-s }

// decoding calls fn when there is a place for it. Those who wait are served in turn, and
// a stream has no more in the queue than there are places: however many posts wait for
// one stream, those to another are soon next.
func (s *Server) decoding(ctx context.Context, l *lane, fn func() error) error {
	if err := l.decoders.take(ctx); err != nil {
		return err
	}
	defer l.decoders.giveBack()
	if err := s.decoders.take(ctx); err != nil {
		return err
	}
	defer s.decoders.giveBack()
	return fn()
}
