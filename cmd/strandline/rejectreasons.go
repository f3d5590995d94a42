package main

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"strandline/landing"
)

// reasonCounts are rejects counted by what their reasons have in common.
type reasonCounts map[string]int

func (t reasonCounts) add(r landing.LandedReject) error {
	t[reasonOf(r.Reason)]++
	return nil
}

// particular is what differs among reasons of the same kind: texts, numbers and times. Of
// what looks like one, that which is common to them comes first: column and type.
var particular = regexp.MustCompile(`^column [^":]*:|\b[A-Z]+\(\d+, ?\d+\)|\bISO 8601\b|\bUTF-(?:8|16)\b|` +
	`("(?:[^"\\]|\\.)*"|[-+]?\b\d+(?:[-+.:T]\d+|[eE][-+]?\d+)*Z?\b)`)

// reasonOf returns a reason without the texts, numbers and times in it.
func reasonOf(reason string) string {
	return particular.ReplaceAllStringFunc(reason, func(found string) string {
		if at := particular.FindStringSubmatchIndex(found); at[2] >= 0 && at[3]-at[2] == len(found) {
			return "…"
		}
		return found
	})
}

// reasonFact is what --json says of the rejects of one reason.
type reasonFact struct {
	Stream  string `json:"stream"`
	Reason  string `json:"reason"`
	Rejects int    `json:"rejects"`
}

// printReasons prints the counts, most first.
func (a *app) printReasons(stream string, t reasonCounts) error {
	reasons := slices.SortedFunc(maps.Keys(t), func(x, y string) int { return cmp.Or(t[y]-t[x], cmp.Compare(x, y)) })
	for _, reason := range reasons {
		if err := a.fact(reasonFact{stream, reason, t[reason]}, "%7d  %s\n", t[reason], reason); err != nil {
			return err
		}
	}
	return nil
}
