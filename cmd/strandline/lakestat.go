package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strandline/audit"
	"strandline/internal/config"
	"strandline/sweep"
)

func newLakeStat(a *app) *cobra.Command {
	grace := config.DefaultGrace
	cmd := &cobra.Command{
		Use:   "lake",
		Short: "Show what the lake holds, what upkeep would gain, and what it costs",
		Long: `Show for every stream and table that the lake has: objects and bytes; rows, files,
and how many of the files are small (below 8 MiB); log entries, checkpoints, kept
versions; what "compact" would merge; the files that no kept version names, which
"sweep" removes once they are older than --grace; and how many calls of the store
the last 24 hours cost. It lists the lake twice and reads logs; no data file is read
and nothing is written.

The calls are told from what is there of the last 24 hours, by the store's clock, so
they come out too low after a sweep with a shorter --grace than that:

  PUT   one for each object
  LIST  3 for each entry of a stream's log, 5 for each edit of a table
  GET   one for each entry, by one other process that follows; and one for each
        data file, by one that computes from it (none in a folder)

To that comes what does not depend on the pace: "run" looks for news with 2 LIST a
job every --poll (172,800 a day at 1s), and a command that commits first proves
the store with 2 PUT and 1 LIST.

With --json a line has what it is "in", "objects" and "bytes", the same "of" each kind of
object, "rows", "files", "small", "versions", "unnamed_old" and "unnamed_young", "merges"
and "merged_segments", and of the "day" the objects made and "calls_a_day".`,
		Example: `  strandline lake
  strandline lake --json    one object a stream or table, and last what is foreign`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if grace < 0 {
				return misused(cmd, "--grace %v: want 0s or more", grace)
			}
			return a.lakeStat(cmd.Context(), grace)
		},
	}
	cmd.Flags().Var(durationFlag{&grace}, "grace", "count unnamed files from `DURATION` on as old")
	return cmd
}

// foreignFact is what --json says last.
type foreignFact struct {
	Foreign audit.Amount `json:"foreign"`
}

func (a *app) lakeStat(ctx context.Context, grace time.Duration) (err error) {
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	accounts, foreign, err := audit.Accounting{
		Store: l.store, Now: time.Now, Sweep: sweep.Options{Grace: grace, Retention: l.retention},
	}.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("look at lake %s: %w", l.config.Lake, err)
	}
	if len(accounts) == 0 && !a.json {
		a.print("%s holds no stream and no table yet\n", l.config.Lake)
	}
	var trouble error
	for _, account := range accounts {
		if err := a.fact(account, "%s\n", describeAccount(account)); err != nil {
			return err
		}
		if account.Trouble != "" {
			trouble = fmt.Errorf("look at %s: %s; \"strandline check-lake\" tells more", account.In, account.Trouble)
		}
	}
	if a.json || foreign.Objects > 0 {
		err = a.fact(foreignFact{foreign}, "foreign, and never touched: %s\n", describeAmount(foreign, "object"))
	}
	return errors.Join(err, trouble)
}

func describeAccount(c audit.Account) string {
	text := fmt.Sprintf("%s: %s\n", c.In, describeAmount(c.Amount, "object"))
	if c.Trouble != "" { // what a log that can't be read says is not known
		return text + "  trouble  " + c.Trouble
	}
	switch c.Room.Area {
	case sweep.AreaLanding:
		text += fmt.Sprintf("  data     %s in %s, %d of them small\n", count(int(c.Rows), "row"), count(c.Files, "segment"), c.Small)
	case sweep.AreaTables:
		text += fmt.Sprintf("  data     %s in %s, %d of them small\n", count(int(c.Rows), "row"), count(c.Files, "published file"), c.Small)
	default:
		text += fmt.Sprintf("  data     %s\n", count(c.Files, "plan"))
	}
	text += fmt.Sprintf("  log      %s, %s", wording(c.Of[audit.Entries].Objects, "entry", "entries"), count(c.Of[audit.Checkpoints].Objects, "checkpoint"))
	if c.Room.Area == sweep.AreaTables {
		text += fmt.Sprintf(", %s kept", count(int(c.Versions), "version"))
	}
	text += "\n"
	if c.Merges > 0 {
		text += fmt.Sprintf("  compact  %s would become %d\n", count(c.Mergeable, "segment"), c.Merges)
	}
	text += fmt.Sprintf("  unnamed  %s for sweep to remove, %s younger than the grace\n", describeAmount(c.Old, "file"), describeAmount(c.Young, "file"))
	return text + fmt.Sprintf("  a day    %d PUT, %d GET, %d LIST", c.Calls.Put, c.Calls.Get, c.Calls.List)
}

func describeAmount(a audit.Amount, noun string) string {
	return fmt.Sprintf("%s of %s", count(a.Objects, noun), count(int(a.Bytes), "byte"))
}
