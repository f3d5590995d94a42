package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestAFullDiskIsToldWithWhatHelpsOnce(t *testing.T) {
	full := fmt.Errorf("write landing/sales/log/1.json: %w", syscall.ENOSPC)
	for _, c := range []struct {
		err  error
		want int
	}{{full, 1}, {syscall.EDQUOT, 1}, {withoutRoom(full), 0}, {notEntered("submit", full), 1}, {errors.New("none of that"), 0}} {
		var out strings.Builder
		report(t.Context(), &out, c.err)
		if n := strings.Count(out.String(), "make room on that disk"); n != c.want {
			t.Errorf("says %q, want %d times what helps", out.String(), c.want)
		}
	}
}
