// Package kubernetes carries the slices of plans to a Kubernetes cluster, each
// plan as an Indexed Job whose pods run "strandline work".
//
// The Job holds no more than a reference to the plan. What is done is told by
// the table alone, so the cluster may be away, lose the Job, or run a slice
// twice: it is the pods' fence that keeps the table right.
package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/internal/kubeapi"
	"strandline/plans"
)

// Options are what an Engine is made of.
type Options struct {
	API       API
	Config    Config
	Namespace string // that Config.Namespace is to be where it names none
	Lake      string // the address of the lake, as its strandline.yaml has it
}

// Engine runs plans of one lake in one namespace.
type Engine struct {
	api       API
	config    Config
	namespace string
	lake      string
	pause     func(context.Context, time.Duration) error
}

// New returns an Engine. It asks the cluster nothing.
func New(o Options) *Engine {
	e := &Engine{api: o.API, config: o.Config, namespace: o.Config.Namespace, lake: o.Lake, pause: pause}
	if e.namespace == "" {
		e.namespace = o.Namespace
	}
	return e
}

// ErrOther says that another Job has the name of a plan's.
var ErrOther = errors.New("the Job is not that of this plan, lake and number of slices")

// Submit has the cluster run all slices of a plan. What it runs already, or has
// run, stays as it is; a Job that has failed or is being cancelled makes room
// for a new one, which does what is left.
func (e *Engine) Submit(ctx context.Context, ref Ref, o SubmitOptions) error {
	body := e.job(ref, o)
	err := e.create(ctx, ref.Plan, body, true)
	if errors.Is(err, kubeapi.ErrExists) {
		err = e.makeRoom(ctx, ref)
		if errors.Is(err, errStays) {
			return nil
		}
	}
	if err == nil {
		err = e.create(ctx, ref.Plan, body, false)
	}
	if errors.Is(err, kubeapi.ErrExists) {
		// By this very call, whose first answer was lost, or by another of the same plan.
		_, err = e.standing(ctx, ref)
	}
	return hinted(err)
}

// errStays says that the Job of a plan is as it is to be.
var errStays = errors.New("it stays")

// makeRoom removes the Job of a plan if that can do no more of it, and waits
// until it is gone.
func (e *Engine) makeRoom(ctx context.Context, ref Ref) error {
	for first := true; ; first = false {
		job, err := e.standing(ctx, ref)
		if errors.Is(err, kubeapi.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		_, failed := holds(job.Status.Conditions, "Failed")
		leaving := job.Metadata.Deletion != nil
		if !failed && !leaving {
			return errStays
		}
		if first && !leaving {
			if err := ignore(e.remove(ctx, ref.Plan, job.Metadata.UID), kubeapi.ErrNotFound); err != nil {
				return err
			}
		}
		if err := e.pause(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("wait for the end of the earlier Job %s: %w", jobName(ref.Plan, e.lake), err)
		}
	}
}

// standing returns the Job that has the name, if it is that of the plan.
func (e *Engine) standing(ctx context.Context, ref Ref) (batchJob, error) {
	job, err := e.get(ctx, ref.Plan)
	if err != nil {
		return job, err
	}
	a := job.Metadata.Annotations
	if a[annotationPlan] != ref.Plan.String() || a[annotationLake] != e.lake || job.Spec.Completions != ref.Slices {
		return job, fmt.Errorf("job %s in namespace %s: %w: it is of plan %q of lake %q, in %d slices; delete it if nobody needs it",
			jobName(ref.Plan, e.lake), e.namespace, ErrOther, a[annotationPlan], a[annotationLake], job.Spec.Completions)
	}
	return job, nil
}

// Resize has so many slices be worked at at a time, from now on.
func (e *Engine) Resize(ctx context.Context, plan plans.ID, parallel int) error {
	return hinted(e.patch(ctx, plan, object{"parallelism": parallel}))
}

// Pause ends the workers, and starts no more until Resume.
func (e *Engine) Pause(ctx context.Context, plan plans.ID) error {
	return hinted(e.patch(ctx, plan, object{"suspend": true}))
}

// Resume goes on after Pause.
func (e *Engine) Resume(ctx context.Context, plan plans.ID) error {
	return hinted(e.patch(ctx, plan, object{"suspend": false}))
}

// Cancel deletes the Job, whose workers end by that. What they have published
// stands. A plan that the cluster does not run is cancelled already.
func (e *Engine) Cancel(ctx context.Context, plan plans.ID) error {
	job, err := e.get(ctx, plan)
	if err == nil {
		err = e.remove(ctx, plan, job.Metadata.UID)
	}
	return hinted(ignore(err, kubeapi.ErrNotFound))
}

func ignore(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

// hinted adds to an error what to do.
func hinted(err error) error {
	switch {
	case errors.Is(err, kubeapi.ErrForbidden):
		return fmt.Errorf("%w; who submits needs create, get, patch and delete of jobs in group batch, and list of pods: see deploy/kubernetes-job/role.yaml", err)
	case errors.Is(err, kubeapi.ErrInvalid):
		return fmt.Errorf("%w; the field comes from kubernetes in strandline.yaml", err)
	case errors.Is(err, kubeapi.ErrUnreachable):
		return fmt.Errorf("%w; what runs there goes on, and this is safe to do again", err)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
