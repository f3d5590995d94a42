package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"strandline/manifests"
)

func newDiff(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "diff TABLE V1 V2",
		Short: "Show which partitions differ between two versions of a table",
		Long: `Show the partitions that differ between two versions of a table, with their
row counts in each, from the receipts alone.`,
		Example: `  strandline diff events_hourly 11 12`,
		Args:    takes(3, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			var versions [2]manifests.Version
			for i := range versions {
				n, err := strconv.ParseUint(args[1+i], 10, 64)
				if err != nil {
					return misused(cmd, "%q is no version: want a number, see strandline history", args[1+i])
				}
				versions[i] = manifests.Version(n)
			}
			return a.diff(cmd.Context(), args[0], versions[0], versions[1])
		},
	}
}

// diffFact is what --json says of a partition that differs. A receipt that is
// not there in that version is null.
type diffFact struct {
	Table     string             `json:"table"`
	Partition string             `json:"partition"`
	Change    string             `json:"change"` // added, removed, changed, or recomputed to the same rows
	Before    *manifests.Receipt `json:"before"`
	After     *manifests.Receipt `json:"after"`
}

func (a *app) diff(ctx context.Context, name string, from, to manifests.Version) (err error) {
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err := l.config.Job(name); err != nil {
		return err
	}
	before, err := l.tables[name].SnapshotAt(ctx, from)
	if err != nil {
		return err
	}
	after, err := l.tables[name].SnapshotAt(ctx, to)
	if err != nil {
		return err
	}
	found := differences(before, after)
	if len(found) == 0 {
		a.note("no partition differs between versions %d and %d of table %s", from, to, name)
	}
	for _, d := range found {
		if err := a.fact(d, "%s  %-13s  %-10s  %s\n", name, d.Partition, d.Change, d.rows()); err != nil {
			return err
		}
	}
	return nil
}

// differences lists the partitions whose rows or receipts differ, in order.
func differences(before, after *manifests.Snapshot) []diffFact {
	found := map[string]*diffFact{}
	at := func(name string) *diffFact {
		if found[name] == nil {
			found[name] = &diffFact{Table: after.Table, Partition: name}
		}
		return found[name]
	}
	for _, r := range before.Receipts() {
		at(r.Partition).Before = &r
	}
	for _, r := range after.Receipts() {
		at(r.Partition).After = &r
	}
	var out []diffFact
	for _, name := range slices.Sorted(maps.Keys(found)) {
		d := found[name]
		switch {
		case d.Before == nil:
			d.Change = "added"
		case d.After == nil:
			d.Change = "removed"
		case !d.Before.SameOutput(*d.After):
			d.Change = "changed"
		case !d.Before.SameInput(*d.After):
			d.Change = "recomputed" // the same rows from other input or code
		default:
			continue
		}
		out = append(out, *d)
	}
	return out
}

func (d diffFact) rows() string {
	text := func(r *manifests.Receipt) string {
		if r == nil {
			return "none"
		}
		return fmt.Sprintf("%s (digest %.12s)", count(int(r.Rows), "row"), r.RowDigest)
	}
	return text(d.Before) + " → " + text(d.After)
}
