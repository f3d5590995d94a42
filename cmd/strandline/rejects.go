package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"strandline/landing"
)

func newRejects(a *app) *cobra.Command {
	var want wanted
	cmd := &cobra.Command{
		Use:   "rejects STREAM",
		Short: "List the arrivals that could not be read as rows",
		Long: `List what arrived in a stream and could not be read as a row: where it came
from (file and line), why, and its bytes. Print the bytes with --raw, mend them,
and land the result; of CSV, put the header line before them. What was rejected
stays in this list as it came, until the rows that came with it expire (retain:);
how many have is told on standard error.`,
		Example: `  strandline rejects events
  strandline rejects events --raw --source monday.ndjson > mend.ndjson   # then mend it, and
  strandline land events mend.ndjson`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.rejects(cmd, args[0], want) },
	}
	cmd.Flags().BoolVar(&want.raw, "raw", false, "print the bytes alone, one reject a line")
	cmd.Flags().StringVar(&want.source, "source", "", "only rejects of the source of that `NAME`")
	cmd.Flags().StringVar(&want.since, "since", "", "only rejects that landed at or after a `TIME` such as 2026-03-01T12:00:00Z")
	return cmd
}

// wanted says which rejects are printed, and how.
type wanted struct {
	raw           bool
	source, since string
}

// chooses returns the filter that the flags ask for.
func (w wanted) chooses() (func(landing.LandedReject) bool, error) {
	var since time.Time
	if w.since != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, w.since); err != nil {
			return nil, fmt.Errorf("--since %q: want a time such as 2026-03-01T12:00:00Z", w.since)
		}
	}
	return func(r landing.LandedReject) bool {
		return (w.source == "" || w.source == r.Source) && !r.LandedAt.Before(since)
	}, nil
}

// rejectFact is what --json says of a reject. Raw is there where the bytes are
// text, and RawBase64 where they are not.
type rejectFact struct {
	Stream    string    `json:"stream"`
	Source    string    `json:"source"`
	Line      int64     `json:"source_position"`
	Reason    string    `json:"reason"`
	LandedAt  time.Time `json:"landed_at"`
	Raw       *string   `json:"raw,omitempty"`
	RawBase64 string    `json:"raw_base64,omitempty"`
}

func (a *app) rejects(cmd *cobra.Command, name string, want wanted) (err error) {
	ctx := cmd.Context()
	if want.raw && a.json {
		return misused(cmd, "choose --raw or --json, not both")
	}
	chosen, err := want.chooses()
	if err != nil {
		return misused(cmd, "%v", err)
	}
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err := l.config.Stream(name); err != nil {
		return err
	}
	stream := l.streams[name]
	if err := stream.Refresh(ctx); err != nil {
		return err
	}
	err = stream.Rejects(ctx, l.files, func(r landing.LandedReject) error {
		if !chosen(r) {
			return nil
		}
		if want.raw {
			if _, err := a.out.Write(append(r.Raw, '\n')); err != nil {
				return fmt.Errorf("write to standard output: %w", err)
			}
			return nil
		}
		return a.fact(newRejectFact(name, r), "%s:%d: %s\n    %s\n", printable(r.Source), r.SourcePosition, r.Reason, excerpt(r.Raw))
	})
	if err != nil {
		return err
	}
	a.noteExpired(stream)
	return nil
}

// noteExpired tells how many rejects of the stream can't be listed any more.
func (a *app) noteExpired(stream *landing.Stream) {
	var gone int64
	if stream.View(func(s *landing.State) { gone = s.ExpiredRejects() }); gone > 0 {
		a.note("besides, %s of stream %s expired with the rows that came with them (retain:)", count(int(gone), "reject"), stream.Spec().Stream)
	}
}

func newRejectFact(stream string, r landing.LandedReject) rejectFact {
	fact := rejectFact{Stream: stream, Source: r.Source, Line: r.SourcePosition, Reason: r.Reason, LandedAt: r.LandedAt}
	if utf8.Valid(r.Raw) {
		text := string(r.Raw)
		fact.Raw = &text
	} else {
		fact.RawBase64 = base64.StdEncoding.EncodeToString(r.Raw)
	}
	return fact
}

// excerpt shows the beginning of a reject's bytes safely on a terminal.
func excerpt(raw []byte) string {
	const most = 160
	if len(raw) <= most {
		return strconv.Quote(string(raw))
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(raw[:most])), len(raw))
}
