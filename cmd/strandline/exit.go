package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"strandline/ingest/kafka"
	"strandline/internal/config"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// The exit codes. They are the same for every command and never change.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2 // the command line or the configuration is wrong
	exitSomeFailed = 3 // some partitions failed, the others are published
	exitRefused    = 4 // a guarantee would have broken
)

var (
	// errSomeFailed is wrapped by a command whose partitions failed, or are held or left out, in part.
	errSomeFailed = errors.New("some partitions are not published")
	// errRefused is wrapped by a command that stopped so as to keep a guarantee.
	errRefused = errors.New("refused")
)

// usageError says that the command line is wrong: nothing was attempted.
type usageError struct {
	command string // whose help to read, such as "strandline land"
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// exitCode is the one place that turns errors into exit codes, gravest first.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case isAny(err, errRefused, errCancelled, errSpent, errLookup, manifests.ErrReplaced, window.ErrNotPlanned, plans.ErrPlan, window.ErrHistory, window.ErrInput, manifests.ErrNeedsRebuild, manifests.ErrRebuilt, manifests.ErrOutdated, manifests.ErrOutrun, runner.ErrIncomplete, runner.ErrGone, landing.ErrEventTimeChanged, landing.ErrTypeChanged, kafka.ErrTopicRecreated, kafka.ErrOffsetsGone, kafka.ErrOffsetsTakenBack, objstore.ErrNotExclusive):
		return exitRefused
	case isAny(err, errSomeFailed, runner.ErrTooManyFailed, runner.ErrNotWhole):
		return exitSomeFailed
	case isA[*usageError](err), isA[*config.Problem](err),
		isAny(err, errLakeThere, window.ErrJob, manifests.ErrNoVersion, manifests.ErrExpired, manifests.ErrNotHeld, requests.ErrNoRequest, requests.ErrEnded, runner.ErrNoPosition, kafka.ErrNotLanded, runner.ErrNoPartition, runner.ErrNoStream, runner.ErrWhichStream, plans.ErrNoPlan, plans.ErrSlice):
		return exitUsage
	}
	return exitFailed
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// brokenOff tells, in brackets, what was being done when a signal came.
func brokenOff(err error) string {
	doing := strings.ReplaceAll(err.Error(), ": "+context.Canceled.Error(), "")
	if doing == context.Canceled.Error() {
		return ""
	}
	return " (" + doing + ")"
}

// report writes an error for a person.
func report(ctx context.Context, w io.Writer, err error) {
	usage, isUsage := errors.AsType[*usageError](err)
	switch {
	case isUsage:
		fmt.Fprintf(w, "strandline: %s\nrun \"%s --help\" for how to use it\n", visible(err.Error()), usage.command)
	case isA[*config.Problem](err):
		// Lines that start with file:line:column are links in many terminals.
		fmt.Fprintln(w, visible(err.Error()))
	case errors.Is(err, context.Canceled) && isA[errSignal](context.Cause(ctx)):
		fmt.Fprintf(w, "strandline: %v before it was done%s\n", context.Cause(ctx), visible(brokenOff(err)))
	default:
		fmt.Fprintf(w, "strandline: %s%s\n", visible(strings.TrimSpace(err.Error())), wantsRoom(err))
	}
}
