package main

import "github.com/spf13/cobra"

// defaultNice leaves a process with the default priority ten times the processor that this
// one gets, where both want it, and costs nothing where nobody else does.
const defaultNice = 10

// leavesRoom gives a command --nice. What recomputes in a process of its own shares the
// processors with the stream of the same machine, of which it knows nothing.
func leavesRoom(a *app, cmd *cobra.Command) *cobra.Command {
	var nice int
	cmd.Flags().IntVar(&nice, "nice", defaultNice, "leave the processors to processes of less, by `N` of 0 to 19 as nice does; 0 changes nothing")
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if nice < 0 || nice > 19 {
			return misused(cmd, "--nice %d: want 0 to 19", nice)
		}
		if nice > 0 && a.nice != nil {
			if err := a.nice(nice); err != nil {
				a.note("strandline: --nice %d can't be set, so this process has the priority that it was started with: %v", nice, err)
			}
		}
		return inner(cmd, args)
	}
	return cmd
}
