package main

import (
	"github.com/spf13/cobra"

	"strandline/window"
)

// manner are the flags that say how partitions are done, whoever does them.
type manner struct {
	order       string
	atomic      bool
	maxFailures int
}

func (m *manner) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.order, "order", string(window.Newest), "which partitions go first: newest, oldest or random")
	cmd.Flags().BoolVar(&m.atomic, "atomic", false, "publish all partitions in one edit, or nothing if one fails")
	cmd.Flags().IntVar(&m.maxFailures, "max-failures", 0, "end it once `N` partitions have failed; 0 is however many")
}

func (m *manner) check(cmd *cobra.Command) error {
	switch _, err := window.ParseOrder(m.order); {
	case err != nil:
		return misused(cmd, "--%w", err)
	case m.maxFailures < 0:
		return misused(cmd, "--max-failures %d: want at least 1, or 0 for no bound", m.maxFailures)
	}
	return nil
}
