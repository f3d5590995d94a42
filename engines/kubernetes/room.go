package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/engines"
	"strandline/internal/kubeapi"
)

// errStays says that the Job of a plan is as it is to be.
var errStays = errors.New("it stays")

// patience is how often makeRoom looks whether a Job is gone: for a minute and
// more, which is as long as the grace that pods have.
const patience = 400

// makeRoom removes the Job of a plan if another is to come in its place, and waits until it is
// gone. It is errStays of any other, which it returns.
func (e *Engine) makeRoom(ctx context.Context, ref engines.Ref, anew bool) (job batchJob, err error) {
	for range patience {
		job, err = e.standing(ctx, ref.Plan)
		if errors.Is(err, kubeapi.ErrNotFound) {
			return job, nil
		}
		if err == nil {
			err = e.stays(ctx, ref, job, anew)
		}
		if err == nil && job.Metadata.Deletion == nil {
			// In conflict is what another has replaced meanwhile.
			err = ignore(e.remove(ctx, ref.Plan, job.Metadata.UID), kubeapi.ErrNotFound)
			err = ignore(err, kubeapi.ErrConflict)
		}
		if err != nil {
			return job, err
		}
		if err := e.pause(ctx, 200*time.Millisecond); err != nil {
			return job, fmt.Errorf("wait for the end of the earlier Job %s: %w", jobName(ref.Plan, e.lake), err)
		}
	}
	return job, fmt.Errorf("the earlier Job %s in namespace %s still has pods that don't end; try again when it is gone", jobName(ref.Plan, e.lake), e.namespace)
}

// stays is nil of a Job that another is to come in place of: it is being deleted, or has failed,
// with anew also if it is complete, or it was made of another configuration and nothing came of
// it. It is errStays of any other, and engines.ErrDiffers of one in other slices.
func (e *Engine) stays(ctx context.Context, ref engines.Ref, job batchJob, anew bool) error {
	state := observation(job).State
	if job.Metadata.Deletion != nil || state == engines.Failed || state == engines.Done && anew {
		return nil
	}
	if err := differs(job, ref); err != nil {
		return err
	}
	if state == engines.Done || !e.stale(ctx, ref, job) {
		return errStays
	}
	return nil
}

// stale tells that a Job was made of another configuration, and that nothing is lost without it:
// no slice of it has ended, and no pod runs.
func (e *Engine) stale(ctx context.Context, ref engines.Ref, job batchJob) bool {
	made := job.Metadata.Annotations[annotationMade]
	if made == "" || made == e.madeOf(ref) || job.Spec.Suspend || job.Status.Succeeded > 0 || job.Status.FailedIndexes != "" {
		return false
	}
	running, err := e.pods(ctx, job.Metadata.UID, "Running")
	return err == nil && len(running.Items) == 0
}

// differs is engines.ErrDiffers if a Job goes by other slices, and has work left.
func differs(job batchJob, ref engines.Ref) error {
	of, _ := job.cut()
	if of == ref.Slices || observation(job).State == engines.Done {
		return nil
	}
	return fmt.Errorf("in %d slices: %w, %d", ref.Slices, engines.ErrDiffers, of)
}
