package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"strandline/engines"
	"strandline/plans"
)

// Observe tells what the cluster says of a plan's Job. It asks once: who looks
// again and again can do without one answer.
func (e *Engine) Observe(ctx context.Context, plan plans.ID) (engines.Observation, error) {
	r := e.jobs("get", plan)
	r.Once = true
	job, err := e.ours(ctx, plan, r)
	if err != nil {
		return engines.Observation{}, known(plan, err)
	}
	o := observation(job)
	if !o.State.Ended() || o.State == engines.Failed {
		o.Message = joinBy("; ", e.complaint(ctx, job, o), o.Message) // what says most first, since lists cut it
	}
	return o, nil
}

func observation(job batchJob) engines.Observation {
	of, _ := job.cut()
	o := engines.Observation{
		State:     engines.Running,
		Parallel:  job.Spec.Parallelism,
		Active:    job.Status.Active,
		Succeeded: job.Status.Succeeded + of - job.Spec.Completions,
		Failed:    len(indexes(job.Status.FailedIndexes, job.Spec.Completions)),
		Work:      job.Metadata.UID,
	}
	if well := job.well(); len(well) == o.Succeeded { // else the cluster has not told of all
		o.Well = well
	}
	failed, hasFailed := holds(job.Status.Conditions, "Failed")
	_, isComplete := holds(job.Status.Conditions, "Complete")
	switch {
	case hasFailed:
		o.State, o.Message = engines.Failed, join(failed.Reason, failed.Message)
	case isComplete:
		o.State = engines.Done
	case job.Metadata.Deletion != nil:
		o.State, o.Message = engines.Cancelled, "its Job is being deleted, and begins nothing more"
	case job.Spec.Suspend:
		o.State = engines.Paused
	case o.Active+job.Status.Succeeded+o.Failed == 0:
		o.State = engines.Waiting
	}
	return o
}

// complaint is why pods don't start, or why they failed. It is only told, so
// what can't be asked is left out.
func (e *Engine) complaint(ctx context.Context, job batchJob, o engines.Observation) string {
	if !o.State.Ended() {
		if text := e.waiting(ctx, job, o); text != "" {
			return text
		}
	}
	// Until a slice has succeeded, what failed and is tried again may never do better.
	if o.Failed == 0 && o.State != engines.Failed && (job.Status.Failed == 0 || o.Succeeded > 0) {
		return ""
	}
	failed, err := e.pods(ctx, job.Metadata.UID, "Failed")
	if err != nil {
		return ""
	}
	return failed.complaint()
}

// waiting is what pods wait for that are not on their way, or why there are none.
func (e *Engine) waiting(ctx context.Context, job batchJob, o engines.Observation) string {
	pending, err := e.pods(ctx, job.Metadata.UID, "Pending")
	if err != nil {
		return ""
	}
	if text := pending.complaint(); text != "" {
		return text
	}
	if len(pending.Items) > 0 {
		// Of what it can't mount a node tells by an event alone.
		first := pending.Items[0].Metadata
		return about("pod "+first.Name, e.warning(ctx, first.UID))
	}
	if o.State == engines.Waiting && job.Status.Failed == 0 {
		return about("no pod could be made", e.warning(ctx, job.Metadata.UID))
	}
	return ""
}

// about is what is said of something, if anything is.
func about(what, text string) string {
	if text == "" {
		return ""
	}
	return what + ": " + text
}

// ordinary are reasons that say no more than that a pod is on its way.
var ordinary = map[string]bool{"ContainerCreating": true, "PodInitializing": true}

// complaint is the first that any of the pods has, or that of the one that ended the Job.
func (l podList) complaint() string {
	slices.SortStableFunc(l.Items, func(a, b pod) int { return cmp.Compare(b.refused(), a.refused()) })
	for _, pod := range l.Items {
		if scheduled, known := find(pod.Status.Conditions, "PodScheduled"); known && scheduled.Status == "False" {
			return fmt.Sprintf("pod %s: %s", pod.Metadata.Name, join(scheduled.Reason, scheduled.Message))
		}
		for _, c := range pod.Status.Containers {
			if w := c.State.Waiting; w != nil && !ordinary[w.Reason] {
				return fmt.Sprintf("pod %s: %s", pod.Metadata.Name, join(w.Reason, w.Message))
			}
			if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
				return ending(fmt.Sprintf("pod %s ended with %d", pod.Metadata.Name, t.ExitCode), lastReason(t.Message))
			}
		}
	}
	return ""
}

// ending tells how a pod ended: what a process of ours gave as its reason first.
func ending(how, reason string) string {
	if ours, is := strings.CutPrefix(reason, programName); is {
		return fmt.Sprintf("%s (%s)", ours, how)
	}
	return join(how, reason)
}

func join(parts ...string) string { return joinBy(": ", parts...) }

// joinBy joins those parts that say anything.
func joinBy(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), between)
}

// lastReason is where a program says why it ended: in the last line that begins with its name,
// since where in an SQL text it was, or how to use it, may follow; else in the last of all.
func lastReason(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	reason := lines[len(lines)-1]
	for _, line := range lines {
		if strings.HasPrefix(line, programName) {
			reason = line
		}
	}
	return strings.TrimSpace(reason)
}

// programName begins the reason for which a process of ours ends.
const programName = "strandline: "
