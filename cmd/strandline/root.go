package main

import (
	"github.com/spf13/cobra"

	"strandline/internal/config"
)

const rootLong = `Strandline lands raw arrivals immutably, recomputes whole partitions of event
time from them with SQL, and publishes each partition by an atomic swap. Stream,
replay and backfill overwrite the same tables by the same path, so running
anything again is always safe.

Words:
  stream     a named source of events, declared in strandline.yaml
  segment    one immutable file of landed rows
  position   a row's number in its stream: 0, 1, 2 …, given once and for ever
  job        SQL, a window and a key: how a table is computed from a stream
  window     a half-open interval of event time [start, end)
  partition  what is overwritten at once: an hour, day, month … of windows
  receipt    what a published partition was computed from, for anyone to check
  table      a job's published output, read as one snapshot`

const rootExample = `  strandline init                                  write a strandline.yaml to start from
  strandline validate                              check it, and every job's SQL
  strandline land events monday.ndjson.gz          land a file; the same content lands once
  strandline backfill events_hourly --from 2026-03-01 --to 2026-04-01
  strandline run                                   follow what lands, until Ctrl-C
  strandline query "SELECT * FROM events_hourly"   read the tables

Exit codes:
  0 done   1 failed   2 usage or configuration   3 some partitions failed or held
  4 refused, because a guarantee would have broken`

// group is a heading of the help and the commands under it.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// groups lists every command, in the order of the help.
func (a *app) groups() []group {
	return []group{
		{"start", "Start:", []*cobra.Command{newInit(a), newValidate(a), newCheckStore(a)}},
		{"write", "Land and publish:", []*cobra.Command{newLand(a), newRun(a), newBackfill(a), newReplay(a), newWork(a), newWorker(a)}},
		{"person", "Decide:", []*cobra.Command{newHeld(a), newLate(a), newRelease(a), newDrop(a), newRollback(a)}},
		{"read", "Look:", []*cobra.Command{newPlan(a), newStatus(a), newSchedules(a), newArrivals(a), newQuery(a), newHistory(a), newDiff(a), newRejects(a)}},
		{"upkeep", "Keep:", []*cobra.Command{newCompact(a), newSweep(a)}},
		{"prove", "Prove:", []*cobra.Command{newVerify(a), newReconcile(a), newReceipt(a), newCheckLake(a), newLakeStat(a)}},
	}
}

func newRoot(a *app) *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "strandline",
		Short:         "Land arrivals, recompute partitions, publish them atomically",
		Long:          rootLong,
		Example:       rootExample,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetVersionTemplate("strandline {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.PersistentFlags().StringVarP(&a.configPath, "config", "c", config.DefaultFile, "the configuration `FILE`")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print facts as JSON, one object a line")
	for _, g := range a.groups() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.id
			root.AddCommand(cmd)
		}
	}
	return root
}

// newHelp is cobra's help command, but one that fails on unknown commands.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return misused(cmd.Root(), "there is no command %q to explain", args[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
