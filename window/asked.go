package window

import (
	"errors"
	"fmt"
	"time"
)

// Asked is a range as a person asks for it: by bounds, by how long until now, or by the
// names of partitions. The zero Asked is all of time.
type Asked struct {
	From, To   string        // as ParseRange reads them; without one the range is open there
	Widen      bool          // bounds that cut a partition take it in whole
	Last       time.Duration // more than 0: the partitions with any of it, up to that of now
	Partitions []string
}

// Intervals returns what is asked for, half-open and in whole partitions of grain g; none
// where that is all of time. Errors say which bound or name is wrong.
func (a Asked) Intervals(g Grain, now time.Time) ([]Interval, error) {
	switch {
	case len(a.Partitions) > 0:
		return a.named(g)
	case a.Last > 0:
		return []Interval{g.whole(Interval{now.Add(-a.Last), now.Add(time.Microsecond)})}, nil
	case a.From == "" && a.To == "":
		return nil, nil
	case a.Widen:
		i, err := parseBounds(a.From, a.To, g)
		if err != nil {
			return nil, err
		}
		return []Interval{g.whole(i)}, nil
	}
	i, err := parseRange(a.From, a.To, g)
	if errors.Is(err, errCuts) {
		err = fmt.Errorf("%w, or take in whole what they cut (--widen)", err)
	}
	return []Interval{i}, err
}

func (a Asked) named(g Grain) (named []Interval, err error) {
	for _, name := range a.Partitions {
		p, err := g.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("--partition: %w", err)
		}
		named = append(named, p.Interval)
	}
	return named, nil
}

// whole returns the partitions that overlap an interval, which is not empty.
func (g Grain) whole(i Interval) Interval {
	return Interval{
		Start: g.Containing(i.Start).Start,
		End:   g.Containing(i.End.Add(-time.Microsecond)).End,
	}
}

// spansOf returns the partitions that overlap one of some intervals, as spans in order and
// apart; all of time if there is none.
func (g Grain) spansOf(within []Interval) (spans []span) {
	if len(within) == 0 {
		return []span{allTime}
	}
	whole := make([]Interval, len(within))
	for i, of := range within {
		whole[i] = g.whole(of)
	}
	for _, i := range joined(whole) {
		spans = append(spans, i.span())
	}
	return spans
}
