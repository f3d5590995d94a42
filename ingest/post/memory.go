package post

import (
	"sync/atomic"

	"strandline/internal/metrics"
)

// overhead is what a post takes beside its body, about, in bytes.
const overhead = 4 << 10

// memory is what bodies may take, of all requests together.
type memory struct {
	limit   int64
	used    atomic.Int64
	metrics *metrics.Set
}

// share is one request's part of it, used by one goroutine at a time.
type share struct {
	of    *memory
	bytes int64
}

// take makes the share larger, or says that there is no more.
func (s *share) take(bytes int64) bool {
	if s.of.used.Add(bytes) > s.of.limit {
		s.of.used.Add(-bytes)
		return false
	}
	s.bytes += bytes
	s.of.metrics.InFlight(source, bytes)
	return true
}

// giveBack makes the share smaller.
func (s *share) giveBack(bytes int64) {
	s.bytes -= bytes
	s.of.used.Add(-bytes)
	s.of.metrics.InFlight(source, -bytes)
}

// holding returns what makes the share larger, up to what is held at a time at most: it
// is asked before so many bytes are.
func (s *share) holding() func(held int64) error {
	most := int64(0)
	return func(held int64) error {
		if held <= most {
			return nil
		}
		if !s.take(held - most) {
			return errNoMemory
		}
		most = held
		return nil
	}
}

func (s *share) giveBackAll() { s.giveBack(s.bytes) }
