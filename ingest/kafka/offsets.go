package kafka

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strandline/landing"
)

// Asked are offsets [From, To) of a partition, as a person asks for them.
type Asked struct {
	Topic    string
	Number   int32 // of the partition
	From, To int64
}

// ParseAsked reads offsets such as "orders/3:1000-2000".
func ParseAsked(text string) (a Asked, err error) {
	wrong := fmt.Errorf("%q: want TOPIC/PARTITION:FROM-TO, such as orders/3:1000-2000", text)
	colon := strings.LastIndexByte(text, ':')
	slash := strings.LastIndexByte(text[:max(colon, 0)], '/')
	from, to, cut := strings.Cut(text[colon+1:], "-")
	if slash <= 0 || !cut {
		return a, wrong
	}
	number, errNumber := strconv.ParseInt(text[slash+1:colon], 10, 32)
	first, errFrom := strconv.ParseInt(from, 10, 64)
	end, errTo := strconv.ParseInt(to, 10, 64)
	if errors.Join(errNumber, errFrom, errTo) != nil || number < 0 || first < 0 {
		return a, wrong
	}
	if end <= first {
		return a, fmt.Errorf("%q: the offsets end where they begin, or before; the last is not included", text)
	}
	return Asked{Topic: text[:slash], Number: int32(number), From: first, To: end}, nil
}

func (a Asked) String() string { return fmt.Sprintf("%s:%d-%d", at{a.Topic, a.Number}, a.From, a.To) }

// Source is what rows of the offsets have as theirs.
func (a Asked) Source() landing.RowSource {
	return landing.RowSource{Name: Partition{Topic: a.Topic, Number: a.Number}.rows(), Offsets: &landing.Span{From: a.From, To: a.To}}
}

// ErrNotLanded says that offsets have not landed.
var ErrNotLanded = errors.New("these offsets have not landed")

// Check is ErrNotLanded if a stream has not read the partition as far as that, in any of
// the lives of its topic.
func (a Asked) Check(state *landing.State) error {
	known, end := []string{}, int64(-1)
	for source, upTo := range state.ProgressOf(scheme) {
		p, ok := ParsePartition(source)
		if !ok {
			continue
		}
		known = append(known, p.at().String())
		if p.at() == (at{a.Topic, a.Number}) {
			end = max(end, upTo)
		}
	}
	slices.Sort(known)
	switch known = slices.Compact(known); {
	case end < 0 && len(known) == 0:
		return fmt.Errorf("%s: %w: the stream has read no topic of Kafka", a, ErrNotLanded)
	case end < 0:
		return fmt.Errorf("%s: %w: the stream has read %s", a, ErrNotLanded, strings.Join(known, ", "))
	case a.To > end:
		return fmt.Errorf("%s: %w: the stream has read the partition up to offset %d", a, ErrNotLanded, end)
	}
	return nil
}

// Lost lists those of an arrival's gaps that are among the offsets.
func (a Asked) Lost(arrival landing.Arrival) (lost []landing.Gap) {
	for _, progress := range arrival.Gaps {
		p, ok := ParsePartition(progress.Source)
		if gap := *progress.Gap; ok && p.at() == (at{a.Topic, a.Number}) && gap.From < a.To && a.From < gap.To {
			lost = append(lost, gap)
		}
	}
	return lost
}
