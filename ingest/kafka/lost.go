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

// String says what was lost, for people.
func (l Lost) String() string {
	if l.To == closed {
		return fmt.Sprintf("%s from offset %d on", l.Partition.at(), l.From)
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
		for _, lost := range e.byTopic(kind) {
			fmt.Fprintf(&text, ": %v (%s): %s", kind, idsOf(lost[0].Partition), brief(lost))
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

// byTopic returns what was lost in one way, each topic's together.
func (e *LostError) byTopic(kind error) (topics [][]Lost) {
	var last Partition
	for _, l := range e.Lost {
		topic := l.Partition
		topic.Number = 0
		switch {
		case l.Kind != kind:
			continue
		case topic != last:
			topics, last = append(topics, nil), topic
		}
		topics[len(topics)-1] = append(topics[len(topics)-1], l)
	}
	return topics
}

// idsOf tells the topic of a partition from others of its name.
func idsOf(p Partition) string { return fmt.Sprintf("ID %s, of cluster %s", p.ID, p.Cluster) }

// brief lists the first few.
func brief(lost []Lost) string {
	const most = 3
	var texts []string
	for _, l := range lost[:min(len(lost), most)] {
		texts = append(texts, l.String())
	}
	text := strings.Join(texts, ", ")
	if len(lost) > most {
		text += fmt.Sprintf(" and %d more partitions", len(lost)-most)
	}
	return text
}
