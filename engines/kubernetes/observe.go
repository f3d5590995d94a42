package kubernetes

import (
	"context"
	"fmt"
	"strings"

	"strandline/engines"
	"strandline/plans"
)

// Observe tells what the cluster says of a plan's Job. It asks once: who looks
// again and again can do without one answer.
func (e *Engine) Observe(ctx context.Context, plan plans.ID) (engines.Observation, error) {
	r := e.jobs("get", plan)
	r.Once = true
	var job batchJob
	err := e.api.Do(ctx, r, &job)
	if err != nil {
		return engines.Observation{}, known(plan, err)
	}
	o := observation(job)
	if !o.State.Ended() || o.State == engines.Failed {
		o.Message = join(o.Message, e.complaint(ctx, plan, o))
	}
	return o, nil
}

func observation(job batchJob) engines.Observation {
	o := engines.Observation{
		State:     engines.Running,
		Parallel:  job.Spec.Parallelism,
		Active:    job.Status.Active,
		Succeeded: job.Status.Succeeded,
		Failed:    countIndexes(job.Status.FailedIndexes),
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
	case o.Active+o.Succeeded+o.Failed == 0:
		o.State = engines.Waiting
	}
	return o
}

// complaint is why pods don't start, or why they failed. It is only told, so
// what can't be asked is left out.
func (e *Engine) complaint(ctx context.Context, plan plans.ID, o engines.Observation) string {
	if waiting, err := e.pods(ctx, plan, "Pending"); err == nil && !o.State.Ended() {
		if text := waiting.complaint(); text != "" {
			return text
		}
	}
	if o.Failed == 0 && o.State != engines.Failed {
		return ""
	}
	failed, err := e.pods(ctx, plan, "Failed")
	if err != nil {
		return ""
	}
	return failed.complaint()
}

// ordinary are reasons that say no more than that a pod is on its way.
var ordinary = map[string]bool{"ContainerCreating": true, "PodInitializing": true}

// complaint is the first that any of the pods has.
func (l podList) complaint() string {
	for _, pod := range l.Items {
		if scheduled, known := find(pod.Status.Conditions, "PodScheduled"); known && scheduled.Status == "False" {
			return fmt.Sprintf("pod %s: %s", pod.Metadata.Name, join(scheduled.Reason, scheduled.Message))
		}
		for _, c := range pod.Status.Containers {
			if w := c.State.Waiting; w != nil && !ordinary[w.Reason] {
				return fmt.Sprintf("pod %s: %s", pod.Metadata.Name, join(w.Reason, w.Message))
			}
			if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
				return fmt.Sprintf("pod %s ended with %d: %s", pod.Metadata.Name, t.ExitCode, lastReason(t.Message))
			}
		}
	}
	return ""
}

func join(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, ": ")
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
