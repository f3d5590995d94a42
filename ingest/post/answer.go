package post

import (
	"strings"
	"unicode/utf8"

	"strandline/landing"
)

// Answer says what became of a post. It is durable.
type Answer struct {
	Stream    string           `json:"stream"`
	Source    string           `json:"source"`        // of its rows and rejects, in the lake
	From      landing.Position `json:"from_position"` // inclusive
	To        landing.Position `json:"to_position"`   // exclusive
	Landed    int64            `json:"landed"`        // rows
	Rejects   int64            `json:"rejected_count"`
	Rejected  []Rejected       `json:"rejected"` // the first of them
	Duplicate bool             `json:"duplicate"`
}

// Rejected is a record that landed as a reject.
type Rejected struct {
	Line   int64  `json:"line"` // or number of the record, from 1
	Reason string `json:"reason"`
}

// What an answer tells of rejects, so that it and the log stay small.
const (
	maxReasons    = 10
	maxReasonText = 200 // bytes
)

// reasonOf is what an answer tells of a reject.
func reasonOf(r landing.Reject) landing.Reason {
	text := strings.ToValidUTF8(r.Reason, "�")
	if len(text) > maxReasonText {
		cut := maxReasonText
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return landing.Reason{Line: r.SourcePosition, Text: text}
}

// answerOf is the answer to a post that the log says this of. It depends on nothing
// else, so that it is the same at any time.
func answerOf(stream, source string, k landing.Key) Answer {
	a := Answer{
		Stream: stream, Source: source, From: landing.Position(k.From), To: landing.Position(k.To),
		Landed: k.To - k.From, Rejects: k.Rejects, Rejected: []Rejected{},
	}
	for _, r := range k.Reasons {
		a.Rejected = append(a.Rejected, Rejected{r.Line, r.Text})
	}
	return a
}
