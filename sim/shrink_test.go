package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// shrunk tries to leave events out, one by one and from the end, for as long as
// the same promise is broken without them, and tells what is left.
func shrunk(t *testing.T, seed uint64, events []event, broken error) string {
	t.Helper()
	whole := len(events)
	history := ""
	for deadline := time.Now().Add(*shrinks); ; {
		before := len(events)
		for i := len(events) - 1; i >= 0 && time.Now().Before(deadline); i-- {
			fewer := slices.Delete(slices.Clone(events), i, i+1)
			fewer = hasten(fewer, i, events[i].gap)
			if l := relive(t, seed, fewer); l.broken != nil && promise(l.broken) == promise(broken) {
				events, broken, history = fewer, l.broken, l.history
			}
		}
		if len(events) == before || !time.Now().Before(deadline) {
			break
		}
	}
	if history == "" {
		history = relive(t, seed, events).history
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%v\n\nmake sim SEED=%d STEPS=%d lives it again. Of %d events these are enough:\n", broken, seed, whole, whole)
	for _, e := range events {
		fmt.Fprintf(&text, "  %s\n", e)
	}
	return text.String() + "\n" + tail(history, 80)
}

// hasten lets the event after one that was left out happen when it did.
func hasten(events []event, i int, gap time.Duration) []event {
	if i < len(events) {
		events[i].gap += gap
	}
	return events
}

// promise is the first words of what is broken.
func promise(err error) string {
	words, _, _ := strings.Cut(err.Error(), ":")
	return words
}

func tail(text string, most int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
