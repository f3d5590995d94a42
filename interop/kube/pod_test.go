package kube

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"strandline/engines"
	"strandline/engines/conformance"
	"strandline/requests"
)

// bePod makes this process a pod's: it runs the program that is in its path, and ends as
// that does. Where the suite of engines wants to see it, it is seen before the program begins.
func bePod() (code int) {
	leave, err := enter()
	if err == nil {
		defer leave()
		err = work()
	}
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return max(exit.ExitCode(), 1) // a signal's is -1
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func enter() (leave func(), err error) {
	watch := os.Getenv(conformance.Env)
	if watch == "" {
		return func() {}, nil
	}
	slice, err := strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
	if at := slices.Index(os.Args, "--left"); err == nil && at > 0 {
		var left []int
		if left, err = engines.ParseNumbers(os.Args[at+1], requests.MaxSlices); err == nil {
			slice = left[slice]
		}
	}
	if err != nil {
		return nil, err
	}
	return conformance.Watch(watch).Enter(slice)
}

// work runs the program. Killed, this process takes it along.
func work() error {
	runtime.LockOSThread()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM) // the program gets it too, and decides
	cmd := exec.Command("strandline", os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}
