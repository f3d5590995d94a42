package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strandline/internal/objstore"
)

func newCheckStore(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check-store",
		Short: "Prove that the lake's store keeps the promises that Strandline needs",
		Long: `Try, on the lake's own store, each property that the guarantees stand on: that
of many racing writers of one key exactly one wins, that what was written is read
and listed at once, ranged reads, deletes; and of a folder that nothing is mounted
inside it. It writes under selftest/ in the lake and cleans up after itself.

Every command that commits makes the first of these tests by itself, with two
writers, and refuses to go on where it fails (exit code 4).`,
		Example: `  strandline check-store
  strandline check-store --json    one object a property`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.checkStore(cmd) },
	}
}

// findingFact is what --json says of one property.
type findingFact struct {
	Property string  `json:"property"`
	OK       bool    `json:"ok"`
	Error    string  `json:"error,omitempty"`
	Seconds  float64 `json:"seconds"`
}

func (a *app) checkStore(cmd *cobra.Command) (err error) {
	l, err := a.readLake(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	// What no store property can help is told apart first: a server that does not
	// answer, a bucket that is not there, credentials that are not accepted.
	if _, err := l.store.List(cmd.Context(), "selftest/", "", 1); err != nil {
		return fmt.Errorf("check the store of lake %s: %w", l.config.Lake, err)
	}
	failed := 0
	for _, f := range objstore.Check(cmd.Context(), l.store) {
		fact := findingFact{Property: f.Property, OK: f.Err == nil, Seconds: f.Took.Seconds()}
		mark, why := "ok", ""
		if f.Err != nil {
			failed++
			fact.Error = f.Err.Error()
			mark, why = "FAILED", ": "+fact.Error
		}
		if err := a.fact(fact, "%-6s  %8s  %s%s\n", mark, f.Took.Round(time.Millisecond), f.Property, why); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("the store of lake %s fails %s: %w to use it", l.config.Lake, count(failed, "test"), errRefused)
	}
	return nil
}
