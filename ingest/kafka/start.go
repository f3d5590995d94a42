package kafka

import (
	"fmt"
	"time"
)

// Start is where to begin with a topic that nothing has landed of.
type Start struct {
	From string    // StartEarliest, StartLatest or StartTime
	At   time.Time // with StartTime: the first record with this timestamp or a later one
}

// Where to begin.
const (
	StartEarliest = "earliest" // with what the brokers still have
	StartLatest   = "latest"   // with what comes after the first look
	StartTime     = "timestamp"
)

// ParseStart reads "earliest", "latest" or an instant such as 2026-11-01T00:00:00Z.
func ParseStart(text string) (Start, error) {
	if text == StartEarliest || text == StartLatest {
		return Start{From: text}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return Start{}, fmt.Errorf("%q: want earliest, latest or an instant such as 2026-11-01T00:00:00Z", text)
	}
	return Start{From: StartTime, At: at}, nil
}
