package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"strandline/ingest"
	"strandline/landing"
)

// defaultArrivals is how many arrivals a person is shown who does not say.
const defaultArrivals = 50

func newArrivals(a *app) *cobra.Command {
	var limit int
	var name string
	cmd := &cobra.Command{
		Use:   "arrivals STREAM",
		Short: "List what landed in a stream: names, positions, rows, and when",
		Long: `List what landed in a stream, newest first: what landed at once, under which name, at
which positions, when, and how many of its records were rejects. "strandline replay" takes
the names, positions and times.

A content that landed before under another name landed nothing the second time, and is
listed by its first name. Posts that were committed together are one arrival, and so is
what one commit had of a topic of Kafka: the names of the first three are shown, and how many
more there are. A log that is tailed is shown by the name that it had then; in --json that
is in sources, and name is how the lake knows the log again.

They are read as they are printed, so that the first come at once of any stream. Without
--limit, the newest 50 are shown, and with --json all.`,
		Example: `  strandline arrivals events
  strandline arrivals events --name monday.ndjson
  strandline arrivals events --json --limit 1000`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return misused(cmd, "--limit %d: want 1 or more, or 0 for all", limit)
			}
			if a.json && !cmd.Flags().Changed("limit") {
				limit = 0
			}
			return a.arrivals(cmd, args[0], name, limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", defaultArrivals, "show the newest `N`, 0 for all; with --json all are the default")
	cmd.Flags().StringVar(&name, "name", "", "only what landed under this `NAME`, or one that contains it")
	return cmd
}

// arrivalFact is what --json says of an arrival.
type arrivalFact struct {
	Stream   string           `json:"stream"`
	Name     string           `json:"name"`
	Way      string           `json:"way"`
	From     landing.Position `json:"from_position"` // inclusive
	To       landing.Position `json:"to_position"`   // exclusive
	Rows     int64            `json:"rows"`
	Rejects  int64            `json:"rejects"`
	LandedAt time.Time        `json:"landed_at"`
	Digest   string           `json:"digest,omitempty"`  // SHA-256 of the content; none of what is not known again by it
	Version  string           `json:"version,omitempty"` // what its source calls the content
	// Sources are what its rows have as their source where that is not Name, the first few.
	Sources     []string `json:"sources,omitempty"`
	MoreSources int64    `json:"more_sources,omitempty"`
	Expired     bool     `json:"expired,omitempty"` // all its rows have
	calledBy    string
}

func (a *app) arrivals(cmd *cobra.Command, name, part string, limit int) (err error) {
	ctx := cmd.Context()
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err := l.config.Stream(name); err != nil {
		return err
	}
	stream := l.streams[name]
	if err := stream.ReadOn(ctx); err != nil {
		return err
	}
	var expired landing.Position
	stream.View(func(state *landing.State) { expired = state.ExpiredUpTo() })
	shown := 0
	for arrival, err := range stream.NewestArrivals(ctx) {
		if err != nil {
			return err
		}
		if !strings.Contains(arrival.Name, part) && !slices.ContainsFunc(arrival.Sources, func(s string) bool { return strings.Contains(s, part) }) {
			continue
		}
		if limit > 0 && shown == limit {
			if !a.json {
				a.print("  …  older ones are not shown: --limit 0 shows all\n")
			}
			return nil
		}
		fact := arrivalFactOf(name, arrival, expired)
		if err := a.fact(fact, "%s\n", describeArrival(fact)); err != nil {
			return err
		}
		shown++
	}
	switch {
	case shown > 0:
	case part != "" && stream.Next() > 0:
		a.note("of the arrivals in stream %s none has %q in its name", name, part)
	default:
		a.note("nothing has landed in stream %s", name)
	}
	return nil
}

func arrivalFactOf(stream string, a landing.Arrival, expired landing.Position) arrivalFact {
	fact := arrivalFact{
		Stream: stream, Name: a.Name, Way: wayOf(a), From: a.From, To: a.To, Rows: a.Rows(), Rejects: a.Rejects,
		LandedAt: a.LandedAt, Version: a.Version, Sources: a.Sources, MoreSources: a.MoreSources, calledBy: a.CalledBy(), Expired: a.Rows() > 0 && a.To <= expired,
	}
	if a.ByContent() {
		fact.Digest = a.Digest.String()
	}
	return fact
}

// wayOf is by which way in an arrival came, as far as its name tells.
func wayOf(a landing.Arrival) string {
	switch {
	case strings.HasPrefix(a.Name, "kafka:"):
		return "kafka"
	case a.Name == ingest.WayHTTP && !a.ByContent():
		return ingest.WayHTTP
	case a.Name == ingest.RetrySource && !a.ByContent():
		return "rejects that landed again"
	case ingest.IsTail(a):
		return "tail"
	case isAddress(a.Name):
		return ingest.WayS3
	}
	return "file"
}

func describeArrival(f arrivalFact) string {
	text := fmt.Sprintf("%s  [%d, %d)  %s", f.LandedAt.Format(time.RFC3339), f.From, f.To, count(int(f.Rows), "row"))
	if f.Rejects > 0 {
		text += ", " + count(int(f.Rejects), "reject")
	}
	switch f.Way {
	case "file":
		text += "  " + printable(f.calledBy)
	case "kafka": // of which the topic is a name too
		text += "  " + printable(f.Name) + "  (kafka)"
		if f.calledBy != f.Name {
			text += "  from " + printable(f.calledBy)
		}
	default:
		text += "  " + printable(f.calledBy) + "  (" + f.Way + ")"
	}
	if f.Expired {
		text += "  expired"
	}
	return text
}
