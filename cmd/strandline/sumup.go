package main

import (
	"errors"
	"fmt"
	"strings"

	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
)

// sumUp ends a driver's report, with the error that sets its exit code.
func (a *app) sumUp(driver manifests.Driver, report runner.Report) error {
	if !a.json {
		a.print("%s\n", describeReport(driver, report))
	}
	return failedOf(driver, report)
}

// describeReport sums a driver's report up.
func describeReport(driver manifests.Driver, report runner.Report) string {
	f := finishedOf(driver, report, 0, nil)
	return fmt.Sprintf("%s of %s: %s, %d published, %d unchanged, %d superseded, %d failed%s%s%s%s%s%s%s%s", driver, f.Table,
		count(f.Partitions, "partition"), f.Published, f.Unchanged, f.Superseded, f.Failed,
		someOf(f.Already, "done already"), someOf(f.Repaired, "repaired, whose files were lost or damaged"), someOf(f.Withheld, "withheld"), heldOf(report), leftOf(f.LeftOut),
		someOf(f.NotDone, "not done"), earlyOf(report.Early()), repeatedOf(report.Repeated()))
}

// someOf tells how many partitions something is of, if it is of any.
func someOf(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s", n, what)
}

// failedOf is the error of a report in which partitions failed, else nil.
func failedOf(driver manifests.Driver, report runner.Report) error {
	if err := refusedOf(report); err != nil {
		return err
	}
	if err := someFailedOf(report); err != nil {
		return fmt.Errorf("%s of job %s: %w", driver, report.Plan.Job.Name, err)
	}
	return nil
}

// someFailedOf counts what failed, and tells why the first did; nil if all is published. What was
// withheld for others has not failed.
func someFailedOf(report runner.Report) error {
	failed, withheld := faultsOf(report)
	if len(failed) == 0 {
		failed, withheld = withheld, nil // for what stands, and is no failure either
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("%w: of %s %s, the first is %s: %w", errSomeFailed,
		count(len(report.Outcomes), "partition"), kindsOf(failed, len(withheld)), failed[0].Partition, whyNot(failed[0]))
}

// kindsOf counts partitions that are not published by why they are not, and those that are withheld for them.
func kindsOf(unpublished []runner.Outcome, withheld int) string {
	var failed, held, left, alone int
	for _, o := range unpublished {
		switch {
		case isLeftOut(o):
			left++
		case isHeld(o):
			held++
		case isWithheld(o):
			alone++
		default:
			failed++
		}
	}
	text := someOf(failed, "failed") + someOf(held, "held (see strandline held)") + someOf(alone, "withheld") + leftOf(left) + someOf(withheld, "withheld for that")
	return strings.TrimPrefix(text, ", ")
}

// faultsOf are the partitions that are not published, and apart those that are not since others
// were not fit to be.
func faultsOf(report runner.Report) (failed, withheld []runner.Outcome) {
	for _, o := range report.Failed() {
		if isWithheld(o) {
			withheld = append(withheld, o)
		} else {
			failed = append(failed, o)
		}
	}
	return failed, withheld
}

// isWithheld tells whether a partition was fit to be published, and others were not that belong
// together with it.
func isWithheld(o runner.Outcome) bool {
	return o.Verdict == manifests.Withheld && o.Err == nil && len(o.Violations) == 0
}

// isHeld tells whether a result waits for a person.
func isHeld(o runner.Outcome) bool {
	return o.Err == nil && (o.Verdict == manifests.Held || o.Verdict == manifests.StillHeld)
}

// isLeftOut tells whether a partition can't be computed any more, so that nothing was tried.
func isLeftOut(o runner.Outcome) bool { return errors.Is(o.Err, landing.ErrExpired) }

// refusedOf is errRefused if a result contradicted the one that stands.
func refusedOf(report runner.Report) error {
	for _, o := range report.Failed() {
		if o.Verdict == manifests.NonDeterministic {
			return fmt.Errorf("partition %s of %s: %w: %w", o.Partition, report.Plan.Job.Name, errRefused, o.Err)
		}
	}
	return nil
}

// whyNot is why a partition was not published, as an error.
func whyNot(o runner.Outcome) error {
	if o.Err != nil {
		return o.Err
	}
	return fmt.Errorf("%s: %s", o.Verdict, o.Reason())
}

// heldOf tells how many partitions are held, and where to go from there.
func heldOf(report runner.Report) string {
	return someOf(report.Held(), "held (see strandline held)")
}

// leftOf tells how many partitions can't be computed any more.
func leftOf(n int) string {
	return someOf(n, "left out, whose raw rows have expired")
}

// earlyOf tells how many partitions are computed that the stream would wait for.
func earlyOf(n int) string {
	return someOf(n, "not closed yet, of which rows are still expected (emit: on_close)")
}

// repeatedOf tells how many rows counted nowhere, since they repeat others.
func repeatedOf(rows int64) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("; %s left out by dedup", count(int(rows), "row"))
}
