package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"strandline/internal/config"
)

// asProgram has the test binary be the program itself.
const asProgram = "STRANDLINE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if config := os.Getenv(asWorker); config != "" {
		if err := watchedWorker(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
		os.Exit(exitDone)
	}
	if os.Getenv(asProgram) != "" {
		if err := watched(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitUsage)
		}
		main()
	}
	os.Exit(m.Run())
}

// result is what one command line did.
type result struct {
	code     int
	out, err string
}

// strandline runs a command line in this process.
func strandline(t *testing.T, args ...string) result {
	t.Helper()
	var out, notes bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &notes, env: func(string) (string, bool) { return "", false }}
	code := run(t.Context(), a, args)
	return result{code, out.String(), notes.String()}
}

func TestHelpTeachesTheWords(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"-h"}, {"help"}} {
		r := strandline(t, args...)
		if r.code != exitDone || r.err != "" {
			t.Fatalf("%v: exit %d, notes %q", args, r.code, r.err)
		}
		for _, want := range []string{
			"stream ", "segment ", "position ", "job ", "window ", "partition ", "receipt ", "table ",
			"Examples:", "Exit codes:", "Start:", "init ", "--config", "--json",
		} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%v: help does not have %q", args, want)
			}
		}
	}
}

func TestEveryCommandHasHelpWithExamples(t *testing.T) {
	a := &app{out: io.Discard, err: io.Discard}
	for _, cmd := range newBackfill(a).Commands() {
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" || cmd.Args == nil || cmd.RunE == nil {
			t.Errorf("backfill %s lacks one of Short, Long, Example, Args and RunE", cmd.Name())
		}
	}
	for _, g := range a.groups() {
		if len(g.commands) == 0 {
			t.Errorf("%q is a heading without commands", g.title)
		}
		for _, cmd := range g.commands {
			if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" || cmd.Args == nil || cmd.RunE == nil {
				t.Errorf("%s lacks one of Short, Long, Example, Args and RunE", cmd.Name())
			}
			r, h := strandline(t, cmd.Name(), "--help"), strandline(t, "help", cmd.Name())
			if r.code != exitDone || !strings.Contains(r.out, cmd.Long) || r.out != h.out {
				t.Errorf("%s --help: exit %d\n%s", cmd.Name(), r.code, r.out)
			}
		}
	}
}

func TestUsageErrorsAreALineAndAHint(t *testing.T) {
	for want, args := range map[string][]string{
		`strandline: unknown command "int" for "strandline"; did you mean init?` + "\n" + `run "strandline --help" for how to use it`: {"int"},
		`strandline: unknown flag: --jsn; did you mean "--json"?` + "\n" + `run "strandline --help" for how to use it`:                {"--jsn"},
		`strandline: unknown flag: --jsn; did you mean "--json"?` + "\n" + `run "strandline init --help" for how to use it`:           {"init", "--jsn"},
		`strandline: unknown shorthand flag: 'x' in -x` + "\n" + `run "strandline init --help" for how to use it`:                     {"init", "-x"},
		`strandline: flag needs an argument: 'c' in -c` + "\n" + `run "strandline --help" for how to use it`:                          {"-c"},
		`strandline: strandline init takes [DIR], and got 2 arguments` + "\n" + `run "strandline init --help" for how to use it`:      {"init", "a", "b"},
		`strandline: --name is empty; a source needs a name to be known by` + "\n" + `run "strandline land --help" for how to use it`: {"land", "s", "-", "--name", ""},
		`strandline: there is no command "nix" to explain` + "\n" + `run "strandline --help" for how to use it`:                       {"help", "nix"},
		`strandline: name the file with -c or its folder DIR, not both` + "\n" + `run "strandline init --help" for how to use it`:     {"init", "a", "-c", "b"},
	} {
		r := strandline(t, args...)
		if r.code != exitUsage || r.out != "" || r.err != want+"\n" {
			t.Errorf("%v: exit %d, output %q, notes\n%s\nwant\n%s", args, r.code, r.out, r.err, want)
		}
	}
}

func TestErrorsHaveTheirExitCode(t *testing.T) {
	problem := &config.Problem{File: "f", Line: 1, Column: 1, Text: "x"}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{context.Canceled, 1},
		{&usageError{"strandline", errors.New("x")}, 2},
		{errors.Join(problem, problem), 2},
		{errors.Join(errors.New("x"), errSomeFailed), 3},
		{errors.Join(errSomeFailed, errRefused), 4},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: exit %d, want %d", c.err, got, c.want)
		}
	}
}

// A command's own error is a failure, and what cobra finds before it is usage.
func TestOnlyWhatComesBeforeACommandIsUsage(t *testing.T) {
	root := &cobra.Command{Use: "r"}
	sub := &cobra.Command{Use: "s", RunE: func(*cobra.Command, []string) error { return errors.New("disk full") }}
	sub.Flags().String("from", "", "")
	if err := sub.MarkFlagRequired("from"); err != nil {
		t.Fatal(err)
	}
	root.AddCommand(sub)
	root.SilenceErrors, root.SilenceUsage = true, true
	for _, args := range [][]string{{"s"}, {"s", "--from", "a"}} {
		started := false
		onRun(root, func() { started = true })
		root.SetArgs(args)
		if err := root.Execute(); err == nil || started != (len(args) > 1) {
			t.Errorf("%v: started %v, error %v", args, started, err)
		}
	}
}

func TestTheProgramExitsWithTheCode(t *testing.T) {
	for want, args := range map[int][]string{exitDone: {"--help"}, exitUsage: {"no-such-command"}} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: exit %d, want %d", args, got, want)
		}
	}
}

func TestFirstSignalCancelsAndSecondExits(t *testing.T) {
	signals, exits := make(chan os.Signal), make(chan int, 1)
	var notes bytes.Buffer
	ctx, stop := untilSignal(context.Background(), signals, &notes, func(code int) { exits <- code })
	signals <- syscall.SIGTERM
	<-ctx.Done()
	if !isA[errSignal](context.Cause(ctx)) {
		t.Errorf("cause %v", context.Cause(ctx))
	}
	select {
	case <-exits:
		t.Error("the first signal exits")
	default:
	}
	signals <- syscall.SIGTERM
	if code := <-exits; code != exitFailed {
		t.Errorf("exit %d", code)
	}
	stop()
	if !strings.Contains(notes.String(), "stopping") {
		t.Errorf("notes %q", notes.String())
	}
	var said bytes.Buffer
	report(ctx, &said, ctx.Err())
	if !strings.Contains(said.String(), "stopped by terminated") {
		t.Errorf("the end is reported as %q", said.String())
	}
}

func TestWithoutASignalTheWatchEnds(t *testing.T) {
	ctx, stop := untilSignal(context.Background(), make(chan os.Signal), io.Discard, func(int) {})
	if ctx.Err() != nil {
		t.Error("cancelled from the start")
	}
	stop()
	if ctx.Err() == nil {
		t.Error("the context outlives the watch")
	}
}
