package main

import (
	"context"
	"errors"
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
	DryRun   bool             `json:"dry_run,omitempty"`
	// NeededFrom is where rows are still needed from, for a partition of a table.
	NeededFrom *landing.Position `json:"needed_from,omitempty"`
	Table      string            `json:"needed_by_table,omitempty"`
	Partition  string            `json:"needed_by_partition,omitempty"`
	Reason     string            `json:"needed_why,omitempty"`
}

// expireRaw lets raw rows go as the streams' retain says, and tells each stream's
// outcome. With dryRun it tells what would go. Streams that keep all are passed
// over, and jobs asked for only if there are others; a stream that can't be done is
// told in the error, after the others.
func (l *lake) expireRaw(ctx context.Context, jobs func(context.Context) ([]*runner.Task, error), dryRun bool, tell func(expiryFact) error) error {
	streams := slices.DeleteFunc(slices.Clone(l.config.Streams), func(s config.Stream) bool { return s.Retain.Forever() })
	if len(streams) == 0 {
		return nil
	}
	tasks, err := jobs(ctx)
	if err != nil {
		return fmt.Errorf("let raw rows expire: find out which are still needed: %w", err)
	}
	var wrong []error
	for _, s := range streams {
		fact, err := l.expireStream(ctx, s.Name, s.Retain, dryRun, tasks)
		if ctx.Err() != nil {
			return errors.Join(append(wrong, err)...)
		}
		if err == nil {
			err = tell(fact)
		}
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// expireStream lets rows of one stream go, by as many entries as that takes.
func (l *lake) expireStream(ctx context.Context, name string, keep landing.Retain, dryRun bool, tasks []*runner.Task) (expiryFact, error) {
	expire := runner.ExpireRaw
	if dryRun {
		expire = runner.PlanExpiry
	}
	fact := expiryFact{Stream: name, DryRun: dryRun}
	for first := true; ; first = false {
		e, err := expire(ctx, l.streams[name], keep, time.Now(), tasks)
		if err != nil {
			return fact, err
		}
		if first {
			fact.From = e.From
		}
		fact.To, fact.Segments = e.To, fact.Segments+len(e.Segments)
		if e.Rows() > 0 && !dryRun {
			continue
		}
		if e.Needed.For != nil {
			fact.NeededFrom, fact.Table, fact.Partition = &e.Needed.From, e.Job, e.Needed.For.String()
			fact.Reason = e.Needed.Reason()
		}
		return fact, nil
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
	if f.NeededFrom != nil {
		text += fmt.Sprintf("; those from %d on are kept for partition %s of table %s, which %s", *f.NeededFrom, f.Partition, f.Table, f.Reason)
	}
	return text
}
