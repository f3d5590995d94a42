package window

import (
	"time"

	"strandline/landing"
)

// StreamHead is the head of a stream.
func StreamHead(state *landing.State) Head { return streamHead{state} }

type streamHead struct{ *landing.State }

func (h streamHead) End() int64 { return int64(h.Next()) }

func (h streamHead) spans(within span) []span {
	many, hours := h.EachHour(within.hours())
	spans := make([]span, 0, many)
	for hour := range hours {
		spans = append(spans, hourSpan(hour))
	}
	return spans
}

func (streamHead) whole(s span) span {
	hours := s.hours()
	return span{hourSpan(hours.From).from, hourSpan(hours.To).from}
}

func hourSpan(hour int64) span {
	return span{hour * hourMicros, (hour + 1) * hourMicros}
}

func (h streamHead) sum(s span) landing.Input { return h.InputOf(s.hours()) }

func (h streamHead) lines(text []byte, of span) ([]byte, int64) {
	return h.AppendInput(text, of.hours())
}

func (h streamHead) expired(s span) int64 { return h.Expired(s.hours()) }

func (h streamHead) mayEnd(upTo int64) bool { return h.MayEnd(landing.Position(upTo)) }

// bears: where a compaction put rows below and above a position into one segment, or
// rows below it have expired together with rows above it, their number bounds what was
// read, and only where it is at a bound is it known which rows they were. Who compacts
// has looked before.
func (h streamHead) bears(upTo int64, read landing.Input, of span) bool {
	least, most := h.InputBounds(of.hours(), landing.Position(upTo))
	if least.Digest == read.Digest || most.Digest == read.Digest {
		return true
	}
	return least.Rows < read.Rows && read.Rows < most.Rows
}

func (h streamHead) weigh(upTo int64) weigher {
	return streamWeigher{h.Weigh(landing.Position(upTo))}
}

type streamWeigher struct{ weighing *landing.Weighing }

func (w streamWeigher) add(s span) landing.Weight { return w.weighing.Add(s.hours()) }

func (w streamWeigher) all() landing.Weight { return w.weighing.Weight }

func (h streamHead) brought(of span, from, upTo int64) landing.Brought {
	return h.Brought(of.hours(), landing.Position(from), landing.Position(upTo))
}

func (h streamHead) grown(of span, from int64) (rows int64, atMost bool) {
	least, most := h.InputBounds(of.hours(), landing.Position(from))
	return h.sum(of).Rows - least.Rows, least.Rows < most.Rows
}

func (h streamHead) watermark(now time.Time) Watermark {
	at, known := h.Watermark(now)
	return Watermark{at, known}
}

func (h streamHead) late(of span, since int64) (late landing.Late, closed bool) {
	reads, from := of.interval(), landing.Position(since)
	return h.Late(reads.Start, reads.End, from), from >= h.ClosedFrom(reads.End)
}
