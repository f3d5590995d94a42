package config_test

import (
	"testing"

	"strandline/internal/config"
)

func TestAShareLeavesTheStreamTheRest(t *testing.T) {
	for _, c := range []struct {
		share       config.Share
		slots, want int
	}{
		{config.Share{Percent: 50}, 1, 1}, // one slot is shared in turn
		{config.Share{Percent: 50}, 2, 1},
		{config.Share{Percent: 50}, 5, 2},
		{config.Share{Percent: 100}, 4, 4},
		{config.Share{Percent: 1}, 8, 1},
		{config.Share{Slots: 3}, 8, 3},
		{config.Share{Slots: 3}, 2, 2},
		{config.Share{}, 8, 0},
	} {
		if got := c.share.Of(c.slots); got != c.want {
			t.Errorf("%v of %d slots: got %d, want %d", c.share, c.slots, got, c.want)
		}
	}
}
