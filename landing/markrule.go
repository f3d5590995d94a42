package landing

import (
	"context"
	"fmt"
	"time"
)

// watermarkRule is the body of a landing log entry that says by which rule the stream's
// watermark goes from then on, whoever reads the log and whatever is declared there.
type watermarkRule struct {
	Watermark
	At time.Time `json:"at"` // by the clock of who recorded it
}

func (c *watermarkRule) follows(*State) error {
	if !nameable(c.At) {
		return fmt.Errorf("a watermark's rule is recorded at %v", c.At)
	}
	return c.Validate()
}

func (c *watermarkRule) fold(s *State) {
	s.marks.pass(c.At, s.Next())
	s.marks.rule = c.Watermark
	s.marks.raise(s.Next())
}

func (c *watermarkRule) named() []string { return nil }

// DeclareWatermark has the landing log say by which rule the stream's watermark goes, as
// its declaration does, unless it says so already. Who lands rows calls it once, at its
// start. A rule by which the watermark would be further back holds it where it is.
func (s *Stream) DeclareWatermark(ctx context.Context) error {
	now := s.opts.Now()
	err := s.commit(ctx, now, func(state *State) (*record, error) {
		if state.WatermarkRule() == s.spec.Watermark.orDefault() {
			return nil, nil
		}
		return &record{Watermark: &watermarkRule{s.spec.Watermark.orDefault(), now.UTC().Truncate(time.Microsecond)}}, nil
	})
	if err != nil {
		return fmt.Errorf("declare the watermark of stream %s: %w", s.spec.Stream, err)
	}
	return nil
}
