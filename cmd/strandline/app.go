package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"strandline/internal/config"
)

// app is what every command works with: the process's ends and common flags.
type app struct {
	in       io.Reader
	out, err io.Writer // facts, and notes
	env      func(string) (string, bool)
	nice     func(n int) error // lowers the process's priority; nil leaves it

	configPath string // -c
	json       bool   // --json
}

// config reads the configuration that -c names.
func (a *app) config() (*config.Config, error) { return config.Load(a.configPath, a.env) }

// run executes one command line and returns its exit code.
func run(ctx context.Context, a *app, args []string) int {
	started := false
	root := newRoot(a)
	onRun(root, func() { started = true })
	if args == nil {
		args = []string{} // cobra would read those of the process
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !started && !isA[*usageError](err) {
		// What cobra finds wrong before a command runs is the command line.
		err = &usageError{command: cmd.CommandPath(), err: oneLine(err)}
	}
	if err != nil {
		report(ctx, a.err, err)
	}
	return exitCode(err)
}

// onRun has every command under root call f when it starts to run.
func onRun(cmd *cobra.Command, f func()) {
	if inner := cmd.RunE; inner != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			f()
			return inner(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		onRun(sub, f)
	}
}

// oneLine puts cobra's suggestions into the line of its error.
func oneLine(err error) error {
	text, suggestions, found := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if !found {
		return err
	}
	return errors.New(text + "; did you mean " + strings.Join(strings.Fields(suggestions), " or ") + "?")
}

// takes checks how many arguments a command gets; most < 0 means any number.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		want := strings.TrimSuffix(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()), " [flags]")
		if want == "" {
			want = " no arguments"
		}
		return fmt.Errorf("%s takes%s, and got %s", cmd.CommandPath(), want, count(len(args), "argument"))
	}
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// misused returns the usageError of a command that found its flags or
// arguments wrong when it already ran.
func misused(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{command: cmd.CommandPath(), err: fmt.Errorf(format, args...)}
}
