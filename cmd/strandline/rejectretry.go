package main

import (
	"context"
	"errors"
	"fmt"

	"strandline/ingest"
	"strandline/landing"
)

// retryFact is what --json says of rejects that were landed again. Those that were not
// are listed before it.
type retryFact struct {
	Stream string           `json:"stream"`
	Landed int64            `json:"landed"` // with DryRun: would be
	Left   int64            `json:"left"`
	From   landing.Position `json:"from_position"` // inclusive
	To     landing.Position `json:"to_position"`   // exclusive
	DryRun bool             `json:"dry_run,omitempty"`
}

// retryRejects lands rejects that can be read by now.
func (a *app) retryRejects(ctx context.Context, name string, chosen func(landing.LandedReject) bool, want wanted) (err error) {
	l, err := a.openLake(ctx, want.dryRun, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	declared, err := l.config.Stream(name)
	if err != nil {
		return err
	}
	if err := l.checkLost(ctx, name); err != nil {
		return fmt.Errorf("land rejects of stream %s again: %w", name, err)
	}
	stream, tell := l.streams[name], a.printReject(name)
	var delimiter byte
	if want.delimiter != "" {
		if delimiter, err = delimiterOf(want.delimiter); err != nil {
			return err
		}
	}
	outcome, err := ingest.RetryRejects(ctx, stream, l.readOptions(declared), ingest.Retry{
		Rejects: func(fn func(landing.LandedReject) error) error { return stream.Rejects(ctx, l.files, fn) },
		Wanted:  chosen, Delimiter: delimiter, DryRun: want.dryRun,
		Left: func(r landing.LandedReject, reason string) error {
			r.Reason = reason
			return tell(r)
		},
	})
	if err != nil {
		return fmt.Errorf("land rejects of stream %s again: %w", name, err)
	}
	a.noteExpired(stream)
	fact := retryFact{Stream: name, Landed: outcome.Readable, Left: outcome.Left, From: outcome.From, To: outcome.To, DryRun: want.dryRun}
	return a.fact(fact, "%s\n", describeRetry(fact))
}

func describeRetry(f retryFact) string {
	text := fmt.Sprintf("landed %s of stream %s again", count(int(f.Landed), "reject"), f.Stream)
	switch {
	case f.DryRun:
		text = fmt.Sprintf("would land %s of stream %s again", count(int(f.Landed), "reject"), f.Stream)
	case f.Landed > 0:
		text += fmt.Sprintf(" at positions [%d, %d)", f.From, f.To)
	}
	if f.Left > 0 {
		text += fmt.Sprintf("; %d still can't be read", f.Left)
	}
	return text
}
