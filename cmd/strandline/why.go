package main

import (
	"fmt"
	"strings"
	"time"

	"strandline/manifests"
	"strandline/window"
)

// planFact is what --json says of a plan before its partitions.
type planFact struct {
	Table      string               `json:"table"`
	Positions  manifests.Positions  `json:"positions"` // exclusive
	Partitions map[window.State]int `json:"partitions"`
	// NeedsRebuild says that nothing but a rebuild can compute them.
	NeedsRebuild bool        `json:"needs_rebuild,omitempty"`
	Cost         window.Cost `json:"cost"` // of all partitions that follow, a segment once
	// Changed says of each code that some of them are the work of how it differs.
	Changed []*window.Changed `json:"changed,omitempty"`
}

func factOf(plan window.Plan) planFact {
	return planFact{Table: plan.Job.Name, Positions: plan.Read, Partitions: plan.Tally(), Cost: plan.Cost, Changed: plan.Changed}
}

// whyFact is what --json says of why a partition is in a plan.
type whyFact struct {
	window.Why
	// Changed names the parts of the code that changed; planFact says how. It is null
	// where none did, and empty where that is not recorded.
	Changed []string `json:"changed"`
}

func whyFactOf(w window.Why) *whyFact {
	fact := whyFact{Why: w}
	if w.Code != nil {
		fact.Changed = w.Code.Parts()
	}
	return &fact
}

// describeWeight tells how much there is to read of a partition, where that is known.
func describeWeight(s window.Status) string {
	if s.Why == nil || !s.Recomputable() {
		return ""
	}
	return "of " + count(int(s.Why.Cost.Bytes), "byte")
}

// describeWhy goes on where a partition's reason ends.
func describeWhy(w *window.Why) string {
	var parts []string
	if w == nil {
		return ""
	}
	for _, n := range w.News {
		parts = append(parts, describeNews(n))
	}
	switch {
	case w.Code == nil:
	case !w.Code.Recorded():
		parts = append(parts, "code "+w.Code.Fingerprint.Short())
	default:
		parts = append(parts, fmt.Sprintf("generation %d", w.Code.Generation))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// describeNews tells what came of one input.
func describeNews(n window.News) string {
	if n.Table {
		return describeTableNews(n)
	}
	text := count(int(n.Rows), "row")
	if n.AtMost {
		text = "at most " + text
	}
	text += fmt.Sprintf(" of %s, at positions [%d, %d)", n.Input, n.From, n.To)
	if len(n.Names) == 0 {
		return text
	}
	text += ", from " + strings.Join(names(n.Names, printable), ", ")
	if n.More > 0 {
		text += fmt.Sprintf(" and %d more", n.More)
	}
	return text
}

// describeTableNews tells how a table that is read has changed.
func describeTableNews(n window.News) string {
	text := fmt.Sprintf("table %s at version %d, read at version %d", n.Input, n.To, n.From)
	switch {
	case n.AtMost || n.Rows == 0:
		return text
	case n.Rows < 0:
		return text + ", " + count(int(-n.Rows), "row") + " fewer"
	}
	return text + ", " + count(int(n.Rows), "row") + " more"
}

// describePlan tells what of the code changed, and what all of it costs.
func describePlan(plan window.Plan) string {
	var b strings.Builder
	for _, c := range plan.Changed {
		b.WriteString(describeChanged(c))
	}
	if plan.Cost.Rows > 0 {
		fmt.Fprintf(&b, "  computing all of them%s reads %s, from %s of %s, which are read whole\n",
			asideOf(plan), count(int(plan.Cost.Rows), "input row"), count(plan.Cost.Segments, "segment"), count(int(plan.Cost.Bytes), "byte"))
	}
	return b.String()
}

// asideOf says that what all of a plan's partitions cost is of some that nothing but a backfill computes, too.
func asideOf(plan window.Plan) string {
	n := plan.Tally()[window.Aside]
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", also the %d set aside,", n)
}

// describeChanged tells how an old code differs from the job's.
func describeChanged(c *window.Changed) string {
	who := count(c.Partitions, "partition") + " of "
	if !c.Recorded() {
		return fmt.Sprintf("  %scode %s: what it was is not recorded, since an older strandline registered it\n", who, c.Fingerprint.Short())
	}
	text := fmt.Sprintf("  %sgeneration %d (code %s, registered %s by %s), since which the job has changed:\n",
		who, c.Generation, c.Fingerprint.Short(), c.At.Format(time.RFC3339), c.Writer)
	if len(c.Changes) == 0 {
		return text + "    how the engine reads the SQL; it is written the same\n"
	}
	for _, change := range c.Changes {
		text += describeCodePart(change)
	}
	return text
}

func describeCodePart(c window.Change) string {
	if len(c.Lines) == 0 {
		return fmt.Sprintf("    %s: %s → %s\n", c.Part, orAbsent(c.Old), orAbsent(c.New))
	}
	text := "    " + c.Part + ":\n"
	for _, line := range c.Lines {
		text += strings.TrimRight("      "+line, " \r") + "\n"
	}
	return text
}

func orAbsent(part string) string {
	if part == "" {
		return "none"
	}
	return part
}
