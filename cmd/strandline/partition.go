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
	Driver      manifests.Driver   `json:"driver,omitempty"`  // where a driver did something
	Version     manifests.Version  `json:"version,omitempty"` // that published it, where that is known
	Receipt     *manifests.Receipt `json:"receipt"`
}

func statusFact(table string, s window.Status) partitionFact {
	return partitionFact{
		Table: table, Partition: s.String(), Start: s.Start, End: s.End,
		State: string(s.State), Reason: s.Reason(),
		InputRows: s.Input.Rows, InputDigest: s.Input.Digest.String(), Receipt: s.Receipt,
	}
}

func outcomeFact(table string, driver manifests.Driver, o runner.Outcome) partitionFact {
	fact := partitionFact{
		Table: table, Partition: o.Partition.String(), Start: o.Partition.Start, End: o.Partition.End,
		State: o.Verdict.String(), Driver: driver, Version: o.Version,
	}
	if o.Err != nil {
		fact.State, fact.Reason = string(window.Failed), o.Err.Error()
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
	head := fmt.Sprintf("%-8s  %s  %-13s", driver, table, o.Partition)
	switch {
	case o.Err != nil:
		return fmt.Sprintf("%s  failed: %v", head, o.Err)
	case o.Verdict == manifests.Behind:
		return head + "  superseded: a result of newer input stands"
	case o.Verdict == manifests.Unchanged:
		return fmt.Sprintf("%s  unchanged  %8d rows  receipt %.12s reproduced", head, o.Receipt.Rows, o.Receipt.RowDigest)
	}
	return fmt.Sprintf("%s  %-9s  %8d rows  receipt %.12s  version %d", head, o.Verdict, o.Receipt.Rows, o.Receipt.RowDigest, o.Version)
}
