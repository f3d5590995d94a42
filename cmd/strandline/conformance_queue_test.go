package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"strandline/engines"
	"strandline/engines/conformance"
	"strandline/engines/queue"
	"strandline/internal/log"
	"strandline/requests"
	"strandline/runner"
)

// asWorker names the configuration that a process of this test binary works requests by.
const asWorker = "STRANDLINE_TEST_AS_WORKER"

// watchedWorker is the worker command, whose slices the suite sees.
func watchedWorker(config string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	defer func() { err = unlessStopped(ctx, err) }()
	a := &app{out: os.Stdout, err: os.Stderr, configPath: config, env: os.LookupEnv}
	l, err := a.writeLake(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	tasks, err := l.allTasks(ctx)
	if err != nil {
		return err
	}
	said := newSaying(a)
	w := newWorking(l, tasks, 1, runner.Slots{})
	w.done, w.tell = said.done, said.tell
	o, err := w.options(requests.WorkerOptions{Lease: time.Second, Poll: 20 * time.Millisecond})
	if err != nil {
		return err
	}
	run := o.Run
	o.Run = func(ctx context.Context, r *requests.Request, slice int, enough <-chan struct{}) requests.Result {
		leave, err := conformance.Watch(os.Getenv(conformance.Env)).Enter(slice)
		if err != nil {
			return requests.Result{Err: err, Never: true}
		}
		defer leave()
		return run(ctx, r, slice, enough)
	}
	return requests.NewWorker(l.requests, o).Work(ctx)
}

func TestTheLakesQueueKeepsThePromisesOfEngines(t *testing.T) {
	var crashed sync.Map // by process
	conformance.Run(t, conformance.Harness{
		Program: program, Other: processes, Kill: killProcess,
		Engine: func(t *testing.T, at *conformance.Place) engines.Engine { return workers(t, at, &crashed) },
		Crash: func(t *testing.T, w conformance.Worker) {
			crashed.Store(w.Process, true)
			crashProcess(t, w)
		},
	})
}

// workers starts so many workers that two may be killed. None but those that crashed may fail.
func workers(t *testing.T, at *conformance.Place, crashed *sync.Map) engines.Engine {
	for range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWorker+"="+at.Config, conformance.Env+"="+string(at.Watch))
		var notes bytes.Buffer
		cmd.Stdout, cmd.Stderr = &notes, &notes
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			err := cmd.Wait()
			if _, meant := crashed.Load(cmd.Process.Pid); err != nil && !meant && cmd.ProcessState.ExitCode() > 0 {
				t.Errorf("a worker: %v\n%s", err, &notes)
			}
		})
	}
	return queue.New(at.Store, requests.Open(at.Store, log.Options{}), "the suite")
}
