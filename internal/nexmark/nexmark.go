// Package nexmark makes the events of an auction site, after the Nexmark benchmark:
// persons who register, auctions that they open, and bids. The same options make the
// same events, to the byte. It serves tests and demonstrations.
package nexmark

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// Options say which events are made.
type Options struct {
	Seed   uint64
	Events int           // of all three kinds together
	Start  time.Time     // of the first event
	Gap    time.Duration // of event time between two, whole milliseconds
	// Late is how long after its event time an event arrives at most. Events are
	// given out in order of arrival.
	Late time.Duration
}

// Kind is what an event tells of. Each kind is a stream of its own.
type Kind string

// The kinds.
const (
	Persons  Kind = "persons"
	Auctions Kind = "auctions"
	Bids     Kind = "bids"
)

// Kinds are all there are.
var Kinds = []Kind{Persons, Auctions, Bids}

// Event is one event, as a JSON object on a line of its own.
type Event struct {
	Kind Kind
	Time time.Time
	Line []byte // ends with a line feed
}

// Of 50 events in a row one is a person and three are auctions.
const (
	round         = 50
	personsARound = 1
	auctionsRound = 3
)

// Events makes all events, in the order in which they arrive.
func Events(o Options) []Event {
	m := maker{random: rand.New(rand.NewPCG(o.Seed, 22))}
	type arrival struct {
		event Event
		at    time.Time
	}
	arrivals := make([]arrival, o.Events)
	for i := range arrivals {
		at := o.Start.Add(time.Duration(i) * o.Gap)
		event := m.event(i, at)
		arrivals[i] = arrival{event, at.Add(m.delay(o.Late))}
	}
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return a.at.Compare(b.at) })
	events := make([]Event, len(arrivals))
	for i, a := range arrivals {
		events[i] = a.event
	}
	return events
}

// maker makes events in order of event time, and knows how many there are so far.
type maker struct {
	random            *rand.Rand
	persons, auctions int
}

func (m *maker) event(i int, at time.Time) Event {
	switch in := i % round; {
	case in < personsARound:
		m.persons++
		return Event{Persons, at, m.person(at)}
	case in < personsARound+auctionsRound:
		m.auctions++
		return Event{Auctions, at, m.auction(at)}
	}
	return Event{Bids, at, m.bid(at)}
}

// delay is nothing for most events, and up to most for the others.
func (m *maker) delay(most time.Duration) time.Duration {
	if most == 0 || m.random.IntN(4) > 0 {
		return 0
	}
	return time.Duration(m.random.Int64N(int64(most)))
}

// recent picks a number below n, among the last many, and now and then the newest
// multiple of hot: that one is much asked for.
func (m *maker) recent(n, many, hot int) int {
	if m.random.IntN(2) == 0 {
		return (n - 1) / hot * hot
	}
	return n - 1 - m.random.IntN(cmp.Or(min(n, many), 1))
}
