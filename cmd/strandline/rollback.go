package main

import (
	"errors"

	"github.com/spf13/cobra"

	"strandline/manifests"
	"strandline/publish"
)

func newRollback(a *app) *cobra.Command {
	var to uint64
	cmd := &cobra.Command{
		Use:   "rollback TABLE --to VERSION",
		Short: "Bring back an older version of a table",
		Long: `Bring back the partitions of an older version, by a new version: history is
never rewritten, and a rollback can itself be rolled back.

The stream leaves the partitions as they were brought back until rows come for
them or the job changes; then they are recomputed from all their input. A
backfill or replay that names them publishes the result that was rolled back
again, since you asked for it.

It is refused where a file that it would bring back is gone or has another size.`,
		Example: `  strandline history events_hourly
  strandline rollback events_hourly --to 12`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("to") {
				return misused(cmd, "say which version to bring back, as --to VERSION (strandline history %s lists them)", args[0])
			}
			if to == 0 {
				return misused(cmd, "version 0 is the table before its first edit: there is nothing to bring back")
			}
			return a.edit(cmd, args[0], func(l *lake, t *manifests.Table) (manifests.Version, error) {
				return publish.Rollback(cmd.Context(), l.store, t, manifests.Version(to))
			})
		},
	}
	cmd.Flags().Uint64Var(&to, "to", 0, "the `VERSION` to bring back")
	return cmd
}

// editFact is what --json says of an edit that a person made.
type editFact struct {
	Table   string            `json:"table"`
	Version manifests.Version `json:"version"` // of the edit; 0 where there was nothing to do
}

// edit makes one edit of a table.
func (a *app) edit(cmd *cobra.Command, name string, make func(*lake, *manifests.Table) (manifests.Version, error)) (err error) {
	l, err := a.writeLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err := l.config.Job(name); err != nil {
		return err
	}
	version, err := make(l, l.tables[name])
	if err != nil {
		return err
	}
	if version == 0 {
		return a.fact(editFact{Table: name}, "table %s: nothing to do, it is so already\n", name)
	}
	return a.fact(editFact{Table: name, Version: version}, "table %s: done, in version %d\n", name, version)
}
