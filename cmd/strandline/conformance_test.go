package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"strandline/engines"
	"strandline/engines/conformance"
	"strandline/engines/pool"
)

// leaves is what a watched process would call at its end. What nobody can reach would be
// closed, and with it the lock.
var leaves func()

// watched has a process that works a slice be seen by the suite that started it, before
// it does anything. The lock ends with the process.
func watched() error {
	dir, is := os.LookupEnv(conformance.Env)
	if !is {
		return nil
	}
	slice, err := strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
	if err == nil {
		leaves, err = conformance.Watch(dir).Enter(slice)
	}
	return err
}

// program runs a command line in this process, which must end well.
func program(t *testing.T, args ...string) string {
	t.Helper()
	r := strandline(t, args...)
	if r.code != exitDone {
		t.Fatalf("strandline %v: exit %d\n%s%s", args, r.code, r.out, r.err)
	}
	return r.out
}

func TestThePoolKeepsThePromisesOfEngines(t *testing.T) {
	h := &inHere{killers: map[int]context.CancelFunc{}}
	conformance.Run(t, conformance.Harness{Program: program, Engine: h.engine, Kill: h.kill})
}

// inHere has slices worked by goroutines of this process.
type inHere struct {
	mu      sync.Mutex
	killers map[int]context.CancelFunc // by slice
}

func (h *inHere) engine(t *testing.T, at *conformance.Place) engines.Engine {
	a := &app{out: io.Discard, err: io.Discard, configPath: at.Config, env: func(string) (string, bool) { return "", false }}
	l, err := a.writeLake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var compile sync.Mutex
	p := pool.New(context.WithoutCancel(t.Context()), pool.Options{Work: func(ctx context.Context, ref engines.Ref, slice int) (engines.Ending, error) {
		ctx, kill := context.WithCancel(ctx)
		defer kill()
		h.mu.Lock()
		h.killers[slice] = kill
		h.mu.Unlock()
		leave, err := at.Watch.Enter(slice)
		if err != nil {
			return engines.Misused, err
		}
		defer leave()
		compile.Lock()
		on, err := a.workOn(ctx, l, ref.Plan.String())
		compile.Unlock()
		if err == nil {
			err = on.slice(ctx, share{slice, ref.Slices}, 1)
		}
		return engines.Ending(exitCode(err)), err
	}})
	t.Cleanup(func() {
		p.Close()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// kill is as near as it comes to kill -9 of a goroutine.
func (h *inHere) kill(_ *testing.T, w conformance.Worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.killers[w.Slice]()
}

// Processes that know of each other as those of an array do: by their number alone.
func TestProcessesOfAnArrayKeepThePromisesOfEngines(t *testing.T) {
	conformance.Run(t, conformance.Harness{Program: program, Engine: processes, Kill: killProcess, Crash: crashProcess})
}

func killProcess(t *testing.T, w conformance.Worker) {
	if err := syscall.Kill(w.Process, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
}

// crashProcess has a process end with exit code 2, as Go ends one that has a fault.
func crashProcess(t *testing.T, w conformance.Worker) {
	if err := syscall.Kill(w.Process, syscall.SIGQUIT); err != nil {
		t.Error(err)
	}
}

// processes starts processes as an array scheduler does, and those that break off again.
func processes(t *testing.T, at *conformance.Place) engines.Engine {
	p := pool.New(context.WithoutCancel(t.Context()), pool.Options{Work: func(ctx context.Context, ref engines.Ref, slice int) (engines.Ending, error) {
		cmd := exec.CommandContext(ctx, os.Args[0], "work", ref.Plan.String(), "--slices", fmt.Sprint(ref.Slices), "--parallel", "1", "-c", at.Config)
		cmd.Env = append(os.Environ(), asProgram+"=1", conformance.Env+"="+string(at.Watch), fmt.Sprintf("JOB_COMPLETION_INDEX=%d", slice))
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = time.Minute
		var notes bytes.Buffer
		cmd.Stderr = &notes
		err := cmd.Run()
		return engines.Ending(cmd.ProcessState.ExitCode()), fmt.Errorf("%w: %s", err, notes.String())
	}})
	t.Cleanup(p.Close)
	return p
}
