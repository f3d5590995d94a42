package main

import (
	"errors"
	"fmt"
	"time"

	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// partitionFact is what --json says of a partition, everywhere.
type partitionFact struct {
	Table       string             `json:"table"`
	Partition   string             `json:"partition"`
	Start       time.Time          `json:"start"` // inclusive
	End         time.Time          `json:"end"`   // exclusive
	State       string             `json:"state"`
	Reason      string             `json:"reason,omitempty"`
	InputRows   int64              `json:"input_rows"`
	InputDigest string             `json:"input_digest"`
	ExpiredRows int64              `json:"expired_rows,omitempty"`  // of the input rows, those that have expired
	Repeated    int64              `json:"repeated_rows,omitempty"` // that dedup left out, where a driver did something
	Early       bool               `json:"not_closed,omitempty"`    // and the job publishes on close: rows are still expected
	Driver      manifests.Driver   `json:"driver,omitempty"`        // where a driver did something
	Version     manifests.Version  `json:"version,omitempty"`       // that published it, where that is known
	Violations  []string           `json:"violations,omitempty"`    // of checks: why it is held
	Warnings    []string           `json:"warnings,omitempty"`      // of checks that only warn
	Receipt     *manifests.Receipt `json:"receipt"`
	Why         *whyFact           `json:"why,omitempty"` // of a plan
}

func statusFact(table string, s window.Status) partitionFact {
	fact := partitionFact{
		Table: table, Partition: s.String(), Start: s.Start, End: s.End,
		State: string(s.State), Reason: s.Reason(),
		InputRows: s.Input.Rows, InputDigest: s.Input.Digest.String(), ExpiredRows: s.Expired, Early: s.Early, Receipt: s.Receipt,
	}
	if s.Candidate != nil && s.State == window.Held {
		fact.Violations = s.Candidate.Violations
	}
	if s.Why != nil {
		fact.Why = whyFactOf(*s.Why)
	}
	return fact
}

func outcomeFact(table string, driver manifests.Driver, o runner.Outcome) partitionFact {
	fact := partitionFact{
		Table: table, Partition: o.Partition.String(), Start: o.Partition.Start, End: o.Partition.End,
		State: o.Verdict.String(), Reason: o.Reason(), Driver: driver, Version: o.Version,
		InputRows: o.Input.Rows, InputDigest: o.Input.Digest.String(), ExpiredRows: o.Expired,
		Repeated: o.Repeated, Early: o.Early, Violations: o.Violations, Warnings: o.Warnings,
	}
	switch {
	case errors.Is(o.Err, landing.ErrExpired):
		fact.State = leftOut
		return fact
	case o.Err != nil:
		fact.State = string(window.Failed)
		return fact
	case !o.Computed():
		return fact
	}
	fact.InputRows, fact.InputDigest, fact.Receipt = o.Receipt.InputRows, o.Receipt.InputDigest.String(), &o.Receipt
	return fact
}

// widths are how wide the columns of a list of partitions are.
type widths struct{ input, weight, rows int }

// leastWidths are those of a list with small numbers.
var leastWidths = widths{input: 14, weight: 14, rows: 10}

// widthsOf are wide enough for all of a list.
func widthsOf(partitions []window.Status) widths {
	w := leastWidths
	for _, s := range partitions {
		w.input = max(w.input, len(inputOf(s)))
		if s.Why != nil {
			w.weight = max(w.weight, len(describeWeight(s)))
		}
		if s.Receipt != nil {
			w.rows = max(w.rows, len(count(int(s.Receipt.Rows), "row")))
		}
	}
	return w
}

func inputOf(s window.Status) string { return count(int(s.Input.Rows), "input row") }

// describeStatus is a line of plan and status.
func describeStatus(s window.Status, wide widths) string {
	text := fmt.Sprintf("%-13s  %-7s  %*s", s, s.State, wide.input, inputOf(s))
	if weight := describeWeight(s); weight != "" {
		text += fmt.Sprintf("  %*s", wide.weight, weight)
	}
	if s.Receipt != nil {
		text += fmt.Sprintf("  %*s  digest %.12s", wide.rows, count(int(s.Receipt.Rows), "row"), s.Receipt.RowDigest)
	}
	if reason := s.Reason(); reason != "" && (s.State != window.Missing || !s.Recomputable()) {
		text += "  " + reason + describeWhy(s.Why)
	}
	if s.Early && s.State != window.Open { // which says so itself
		text += "  not closed"
	}
	return text
}

// describeOutcome is a line of a driver's report.
func describeOutcome(driver manifests.Driver, table string, o runner.Outcome) string {
	text := fmt.Sprintf("%-8s  %s  %-13s  %s", driver, table, o.Partition, describeVerdict(o))
	if o.Repeated > 0 {
		if isHeld(o) { // of which the text before is a sentence of its own
			text += ";"
		} else {
			text += ","
		}
		text += fmt.Sprintf(" %s left out by dedup", count(int(o.Repeated), "row"))
	}
	if o.Early && o.OK() {
		text += ", before it was closed"
	}
	for _, warning := range o.Warnings {
		text += "\n          warning: " + warning
	}
	return text
}

// leftOut is how a partition ends that can't be computed any more.
const leftOut = "left out"

func describeVerdict(o runner.Outcome) string {
	switch {
	case errors.Is(o.Err, landing.ErrExpired):
		return fmt.Sprintf("%s: %v", leftOut, o.Err)
	case o.Err != nil:
		return fmt.Sprintf("failed: %v", o.Err)
	case !o.Computed():
		return fmt.Sprintf("%-9s  not computed  %s", o.Verdict, o.Reason())
	case !o.OK():
		return fmt.Sprintf("%-9s  %s  %s", o.Verdict, rowsOf(o.Receipt), o.Reason())
	case o.Verdict == manifests.Behind:
		return "superseded: a result of newer input stands"
	case o.Verdict == manifests.Already:
		return fmt.Sprintf("%s  %s  nothing was computed", o.Verdict, rowsOf(o.Receipt))
	case o.Verdict == manifests.Unchanged:
		return fmt.Sprintf("unchanged  %s  receipt reproduced", rowsOf(o.Receipt))
	}
	return fmt.Sprintf("%-9s  %s  version %d", o.Verdict, rowsOf(o.Receipt), o.Version)
}

// rowsOf tells a receipt's rows, by their number and the start of their digest.
func rowsOf(r manifests.Receipt) string {
	return fmt.Sprintf("%10s  digest %.12s", count(int(r.Rows), "row"), r.RowDigest)
}

// describeTally says how the partitions of a survey stand, and what to do about those
// that the stream leaves alone. Of a job that needs a rebuild, as unfit says, they tell
// nothing: what is published is to be replaced.
func describeTally(plan window.Plan, unfit error) string {
	if unfit != nil {
		return needing(plan, unfit)
	}
	n, lasting := plan.Tally(), window.Tally(window.Lasting(plan.Tasks))
	text := fmt.Sprintf("%s, %d fresh", count(len(plan.Tasks)+plan.Fresh, "partition"), n[window.Fresh])
	for _, state := range []window.State{window.Stale, window.Missing, window.Open, window.Failed, window.Held, window.Aside, window.OldCode} {
		if n[state] == 0 {
			continue
		}
		text += fmt.Sprintf(", %d %s", n[state], state)
		switch state {
		case window.Missing:
			text += lastingOf(lasting[state], n[state])
		case window.Open:
			text += " (published once closed)"
		case window.Aside:
			text += " (set aside by a person)"
		case window.OldCode:
			text += renewing(plan.Job.Name, lasting[state], n[state])
		}
	}
	return text
}

// needing says that a job needs a rebuild, and which command does it, if any can, or that a stream's declaration
// keeps it from its rows.
func needing(plan window.Plan, unfit error) string {
	if landing.IsMisdeclared(unfit) {
		return count(len(plan.Tasks)+plan.Fresh, "partition") + ", of which none can be computed as its stream is declared"
	}
	if errors.Is(unfit, runner.ErrIncomplete) {
		return "needs a rebuild, which would be refused since raw rows have expired"
	}
	return fmt.Sprintf("needs a rebuild, of %s (strandline backfill %s --rebuild)", count(len(window.ForRebuild(plan.Tasks)), "partition"), plan.Job.Name)
}

// lastingOf says how many of some partitions can't be computed any more.
func lastingOf(lasting, all int) string {
	switch lasting {
	case 0:
		return ""
	case all:
		return " for good (raw rows have expired)"
	}
	return fmt.Sprintf(", %d of them for good (raw rows have expired)", lasting)
}

// renewing says how partitions of old code are renewed, as far as they can be.
func renewing(table string, lasting, all int) string {
	backfill := fmt.Sprintf("strandline backfill %s --stale renews", table)
	switch lasting {
	case 0:
		return fmt.Sprintf(" (%s them)", backfill)
	case all:
		return lastingOf(lasting, all)
	}
	return fmt.Sprintf(" (%s all but %d, whose raw rows have expired)", backfill, lasting)
}
