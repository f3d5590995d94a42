package kafka

import (
	"errors"
	"fmt"
	"strings"
)

// What was lost on the way. Each Lost is one of these.
var (
	// ErrTopicRecreated says that a topic was deleted and made again, or is that of
	// another cluster, since something landed of it.
	ErrTopicRecreated = errors.New("the topic is not the one that landed so far")
	// ErrOffsetsGone says that the brokers removed offsets before they landed.
	ErrOffsetsGone = errors.New("offsets are gone that have not landed")
	// ErrOffsetsTakenBack says that the brokers have lost offsets that did land.
	ErrOffsetsTakenBack = errors.New("the brokers have lost offsets that did land")
)

// Lost says that the offsets [From, To) of a partition will never land, and why.
type Lost struct {
	Partition Partition
	From, To  int64 // To is closed where nobody can tell
	Kind      error
}

// String says what was lost, for the landing log and for people.
func (l Lost) String() string {
	switch l.Kind {
	case ErrTopicRecreated:
		return fmt.Sprintf("%s of cluster %s, whose topic had the ID %s, from offset %d on", l.Partition.at(), l.Partition.Cluster, l.Partition.ID, l.From)
	case ErrOffsetsTakenBack:
		return fmt.Sprintf("%s from offset %d up to %d, where it landed", l.Partition.at(), l.From, l.To)
	}
	return fmt.Sprintf("%s from offset %d up to %d", l.Partition.at(), l.From, l.To)
}

// LostError says what was lost in a stream's topics. It is each of the kinds in it.
type LostError struct {
	Stream string
	Lost   []Lost
}

func (e *LostError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "read Kafka for stream %s", e.Stream)
	for _, kind := range []error{ErrTopicRecreated, ErrOffsetsGone, ErrOffsetsTakenBack} {
		var lost []string
		for _, l := range e.Lost {
			if l.Kind == kind {
				lost = append(lost, l.String())
			}
		}
		if len(lost) > 0 {
			fmt.Fprintf(&text, ": %v: %s", kind, brief(lost))
		}
	}
	if errors.Is(e, ErrOffsetsTakenBack) {
		return text.String() + "; what the brokers give under these offsets now would be taken for what landed, so nothing is read: have the topic made again under its name, and accept that gap"
	}
	return fmt.Sprintf("%s; nothing is read until somebody accepts that this is lost: strandline land %s --accept-gap records it and goes on with what there is", text.String(), e.Stream)
}

// Unwrap returns the kinds.
func (e *LostError) Unwrap() []error {
	var kinds []error
	for _, l := range e.Lost {
		kinds = append(kinds, l.Kind)
	}
	return kinds
}

// brief lists the first few.
func brief(items []string) string {
	const most = 3
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
}
