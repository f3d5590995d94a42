package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"strandline/internal/config"
	"strandline/landing"
	"strandline/runner"
)

// expiryFact is what --json says of raw rows that expire.
type expiryFact struct {
	Stream   string           `json:"stream"`
	From     landing.Position `json:"expired_from"` // inclusive
	To       landing.Position `json:"expired_to"`   // exclusive
	Segments int              `json:"expired_segments"`
	// Pending are the rejects that go with them and that nobody has landed again.
	Pending int64 `json:"expired_pending_rejects,omitempty"`
	DryRun  bool  `json:"dry_run,omitempty"`
	// NeededFrom is where rows are still needed from, for a partition of a table.
	NeededFrom *landing.Position `json:"needed_from,omitempty"`
	Table      string            `json:"needed_by_table,omitempty"`
	Partition  string            `json:"needed_by_partition,omitempty"`
	Reason     string            `json:"needed_why,omitempty"`
}

// expireRaw lets raw rows of a stream go as its retain says, if it is declared and
// has one, and tells that. With dryRun it tells what would go, and returns the files
// that would be freed.
func (l *lake) expireRaw(ctx context.Context, name string, now time.Time, dryRun bool, tasks []*runner.Task, tell func(expiryFact)) ([]string, error) {
	i := slices.IndexFunc(l.config.Streams, func(s config.Stream) bool { return s.Name == name })
	if i < 0 || l.config.Streams[i].Retain.Forever() {
		return nil, nil
	}
	fact, freed, err := l.expireRows(ctx, name, now, l.config.Streams[i].Retain, dryRun, tasks)
	if fact.From < fact.To || fact.NeededFrom != nil {
		tell(fact)
	}
	return freed, err
}

// expireRows lets rows go by as many entries as that takes.
func (l *lake) expireRows(ctx context.Context, name string, now time.Time, keep landing.Retain, dryRun bool, tasks []*runner.Task) (expiryFact, []string, error) {
	expire := runner.ExpireRaw
	if dryRun {
		expire = runner.PlanExpiry
	}
	fact := expiryFact{Stream: name, DryRun: dryRun}
	for first := true; ; first = false {
		e, err := expire(ctx, l.streams[name], keep, now, tasks)
		if err != nil {
			return fact, nil, err
		}
		if first {
			fact.From = e.From
		}
		fact.To, fact.Segments, fact.Pending = e.To, fact.Segments+len(e.Segments), fact.Pending+e.Pending
		if e.Rows() > 0 && !dryRun {
			continue
		}
		if e.Needed.For != nil {
			fact.NeededFrom, fact.Table, fact.Partition = &e.Needed.From, e.Job, e.Needed.For.String()
			fact.Reason = e.Needed.Reason()
		}
		return fact, e.Freed, nil
	}
}

// describe is a line of sweep's report.
func (f expiryFact) describe() string {
	text := fmt.Sprintf("stream %s: ", f.Stream)
	switch {
	case f.From == f.To:
		text += "no raw row expires"
	case f.DryRun:
		text += fmt.Sprintf("raw rows [%d, %d) of %s would expire", f.From, f.To, count(f.Segments, "segment"))
	default:
		text += fmt.Sprintf("raw rows [%d, %d) of %s expired", f.From, f.To, count(f.Segments, "segment"))
	}
	if f.Pending > 0 {
		text += ", and with them " + count(int(f.Pending), "reject") + " that did not land again (strandline rejects " + f.Stream + ")"
	}
	if f.NeededFrom != nil {
		text += fmt.Sprintf("; those from %d on are kept for partition %s of table %s, which %s", *f.NeededFrom, f.Partition, f.Table, f.Reason)
	}
	return text
}
