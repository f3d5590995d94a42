package main

import (
	"fmt"
	"time"

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
	Driver      manifests.Driver   `json:"driver,omitempty"`     // where a driver did something
	Version     manifests.Version  `json:"version,omitempty"`    // that published it, where that is known
	Violations  []string           `json:"violations,omitempty"` // of checks: why it is held
	Warnings    []string           `json:"warnings,omitempty"`   // of checks that only warn
	Receipt     *manifests.Receipt `json:"receipt"`
}

func statusFact(table string, s window.Status) partitionFact {
	fact := partitionFact{
		Table: table, Partition: s.String(), Start: s.Start, End: s.End,
		State: string(s.State), Reason: s.Reason(),
		InputRows: s.Input.Rows, InputDigest: s.Input.Digest.String(), Receipt: s.Receipt,
	}
	if s.State == window.Held {
		fact.Violations = s.Candidate.Violations
	}
	return fact
}

func outcomeFact(table string, driver manifests.Driver, o runner.Outcome) partitionFact {
	fact := partitionFact{
		Table: table, Partition: o.Partition.String(), Start: o.Partition.Start, End: o.Partition.End,
		State: o.Verdict.String(), Reason: o.Reason(), Driver: driver, Version: o.Version,
		Violations: o.Violations, Warnings: o.Warnings,
	}
	if o.Err != nil {
		fact.State = string(window.Failed)
		return fact
	}
	fact.InputRows, fact.InputDigest, fact.Receipt = o.Receipt.InputRows, o.Receipt.InputDigest.String(), &o.Receipt
	return fact
}

// describeStatus is a line of plan and status.
func describeStatus(s window.Status) string {
	text := fmt.Sprintf("%-13s  %-7s  %8d input rows", s, s.State, s.Input.Rows)
	if s.Receipt != nil {
		text += fmt.Sprintf("  %8d rows  receipt %.12s", s.Receipt.Rows, s.Receipt.RowDigest)
	}
	if reason := s.Reason(); reason != "" && s.State != window.Missing {
		text += "  " + reason
	}
	return text
}

// describeOutcome is a line of a driver's report.
func describeOutcome(driver manifests.Driver, table string, o runner.Outcome) string {
	text := fmt.Sprintf("%-8s  %s  %-13s  %s", driver, table, o.Partition, describeVerdict(o))
	for _, warning := range o.Warnings {
		text += "\n          warning: " + warning
	}
	return text
}

func describeVerdict(o runner.Outcome) string {
	switch {
	case o.Err != nil:
		return fmt.Sprintf("failed: %v", o.Err)
	case !o.OK():
		return fmt.Sprintf("%-9s  %8d rows  receipt %.12s  %s", o.Verdict, o.Receipt.Rows, o.Receipt.RowDigest, o.Reason())
	case o.Verdict == manifests.Behind:
		return "superseded: a result of newer input stands"
	case o.Verdict == manifests.Unchanged:
		return fmt.Sprintf("unchanged  %8d rows  receipt %.12s reproduced", o.Receipt.Rows, o.Receipt.RowDigest)
	}
	return fmt.Sprintf("%-9s  %8d rows  receipt %.12s  version %d", o.Verdict, o.Receipt.Rows, o.Receipt.RowDigest, o.Version)
}
