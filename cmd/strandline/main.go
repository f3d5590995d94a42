// Command strandline lands raw arrivals immutably, recomputes whole partitions
// of event time from them with SQL, and publishes each partition by an atomic
// swap. Stream, replay and backfill all overwrite the same tables by the same
// path, so running anything again is always safe.
//
// This package is flags and wiring: one file a command, and exit codes in one
// place (exit.go). What a command finds out goes to standard output; progress
// and notes go to standard error.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, stop := untilSignal(context.Background(), signals, os.Stderr, os.Exit)
	code := run(ctx, &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, nice: beNice}, os.Args[1:])
	stop()
	os.Exit(code)
}

// errSignal is the cause of a context that a signal ended.
type errSignal struct{ signal os.Signal }

func (e errSignal) Error() string { return fmt.Sprintf("stopped by %v", e.signal) }

// Is tells that to be stopped by a signal is to be cancelled: some libraries
// give back a context's cause, others its error.
func (e errSignal) Is(target error) bool { return target == context.Canceled }

// untilSignal returns a context that the first signal cancels, so that work
// ends cleanly; the second exits at once, which is safe too: what was not
// committed does not exist. stop ends the watch and returns when it has ended.
func untilSignal(ctx context.Context, signals <-chan os.Signal, notes io.Writer, exit func(int)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-signals:
			fmt.Fprintf(notes, "strandline: stopping (%v); the same signal again exits at once\n", s)
			cancel(errSignal{s})
		case <-quit:
			return
		}
		select {
		case <-signals:
			exit(exitFailed)
		case <-quit:
		}
	}()
	return ctx, func() {
		close(quit)
		<-ended
		cancel(nil)
	}
}
