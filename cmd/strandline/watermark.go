package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"strandline/internal/log"
	"strandline/landing"
)

// watermarkFact is what --json says of how far a stream has come.
type watermarkFact struct {
	// Watermark is nil before the first row whose way in is known.
	Watermark *time.Time `json:"watermark,omitempty"`
	HeldBy    string     `json:"watermark_held_by,omitempty"` // the way in that is furthest behind
	// Stays: it is further than the ways in say by now, and never goes back. Then nothing holds it there.
	Stays  bool        `json:"watermark_stays,omitempty"`
	Behind string      `json:"watermark_waits_for,omitempty"` // the way in that is furthest behind it then
	WaysIn []wayInFact `json:"ways_in,omitempty"`
}

type wayInFact struct {
	Name   string    `json:"name"`
	Latest time.Time `json:"latest,omitzero"` // event time
	Landed time.Time `json:"landed"`          // when its newest row did
	Ahead  int64     `json:"ahead,omitempty"` // rows whose event time is too far ahead
	Silent bool      `json:"silent"`
}

func watermarkOf(s *landing.State, now time.Time) (fact watermarkFact) {
	if at, known := s.Watermark(now); known {
		fact.Watermark = &at
	}
	var behind *landing.WayIn
	for _, w := range s.WaysIn(now) {
		fact.WaysIn = append(fact.WaysIn, wayInFact(w))
		if !w.Silent && (behind == nil || w.Latest.Before(behind.Latest)) {
			behind, fact.HeldBy = &w, w.Name
		}
	}
	if fact.Watermark != nil && s.Stays(now) {
		fact.Stays, fact.Behind, fact.HeldBy = true, fact.HeldBy, ""
	}
	return fact
}

// describeWatermark says where the watermark is, and what holds it there.
func describeWatermark(fact watermarkFact) string {
	if len(fact.WaysIn) == 0 {
		return "no watermark yet: it follows what lands from now on"
	}
	at := "not known"
	if fact.Watermark != nil {
		at = fact.Watermark.Format(time.RFC3339)
	}
	text := "watermark " + at + ": "
	switch {
	case fact.HeldBy != "":
	case fact.Stays:
		text += "it stays where it was, since it never goes back"
	default:
		text += "all is silent, so it follows the clock"
	}
	var silent, ahead []string
	for _, w := range fact.WaysIn {
		switch {
		case w.Name == fact.HeldBy:
			text += "it follows " + describeWay(w)
		case w.Name == fact.Behind:
			text += "; behind it is " + describeWay(w)
		case w.Silent:
			silent = append(silent, fmt.Sprintf("%s since %s", w.Name, w.Landed.Format(time.RFC3339)))
		}
		if w.Ahead > 0 {
			ahead = append(ahead, fmt.Sprintf("%s by %s", count(int(w.Ahead), "row"), w.Name))
		}
	}
	if fact.HeldBy+fact.Behind != "" && len(silent) > 0 {
		text += "; silent, and not waited for: " + strings.Join(silent, ", ")
	}
	if len(ahead) > 0 {
		text += "; too far ahead of their landing to count: " + strings.Join(ahead, ", ")
	}
	return text
}

func describeWay(w wayInFact) string {
	if w.Latest.IsZero() {
		return fmt.Sprintf("%s, of which no event time counts, and which last landed at %s", w.Name, w.Landed.Format(time.RFC3339))
	}
	return fmt.Sprintf("%s, which is at %s and last landed at %s", w.Name, w.Latest.Format(time.RFC3339), w.Landed.Format(time.RFC3339))
}

// declareWatermarks has the logs of streams say by which rule their watermarks go.
func (l *lake) declareWatermarks(ctx context.Context, streams ...string) error {
	for _, name := range streams {
		if err := l.streams[name].DeclareWatermark(ctx); err != nil {
			return err
		}
	}
	return nil
}

// declareAll is declareWatermarks of all streams. One whose log is damaged is passed over: its
// jobs are left out, which tells of it, and unread is of those that no job reads.
func (l *lake) declareAll(ctx context.Context) (unread, err error) {
	for _, s := range l.config.Streams {
		err := l.declareWatermarks(ctx, s.Name)
		switch {
		case errors.Is(err, log.ErrCorrupt) && len(l.config.JobsFrom(s.Name)) == 0:
			unread = errors.Join(unread, err)
		case err != nil && !errors.Is(err, log.ErrCorrupt):
			return unread, err
		}
	}
	return unread, nil
}
