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

	"strandline/engines"
	"strandline/internal/kubeapi"
	"strandline/plans"
)

// Options are what an Engine is made of.
type Options struct {
	API       API
	Config    Config
	Namespace string // that Config.Namespace is to be where it names none
	Server    string // the address of the cluster, for people
	// Lake tells the lake from all others whose Jobs may be in the namespace: its address, as its
	// strandline.yaml has it, and its endpoint.
	Lake string
}

// Engine runs plans of one lake in one namespace.
type Engine struct {
	api       API
	config    Config
	namespace string
	server    string
	lake      string
	pause     func(context.Context, time.Duration) error
}

// New returns an Engine. It asks the cluster nothing.
func New(o Options) *Engine {
	e := &Engine{api: o.API, config: o.Config, namespace: o.Config.Namespace, server: o.Server, lake: o.Lake, pause: pause}
	if e.namespace == "" {
		e.namespace = o.Namespace
	}
	return e
}

// Ready has the cluster say what it would say to the Job of a plan, and whether it has what pods
// of it are made of.
func (e *Engine) Ready(ctx context.Context, ref engines.Ref, o engines.Options) error {
	if err := engines.Check(ref, o); err != nil {
		return err
	}
	_, err := e.create(ctx, ref.Plan, e.job(ref, o), true)
	if errors.Is(err, kubeapi.ErrExists) {
		var job batchJob
		if job, err = e.standing(ctx, ref.Plan); err == nil {
			err = e.stays(ctx, ref, job, true)
		}
		err = ignore(err, kubeapi.ErrNotFound) // it has gone just now
	}
	if err == nil {
		err = e.lacking(ctx)
	}
	return said(ref.Plan, ignore(err, errStays))
}

// Submit has the cluster run all slices of a plan. What it runs already, or has
// run, stays as it is; a Job that has failed or is being cancelled makes room
// for a new one, which does what is left, and with Anew a complete one does too. So does one that
// nothing came of yet, if it was made of another configuration. The work is called by the uid of the Job.
func (e *Engine) Submit(ctx context.Context, ref engines.Ref, o engines.Options) (work string, err error) {
	if err := engines.Check(ref, o); err != nil {
		return "", err
	}
	job, err := e.submit(ctx, ref, o)
	if err != nil {
		return "", said(ref.Plan, err)
	}
	return job.Metadata.UID, nil
}

func (e *Engine) submit(ctx context.Context, ref engines.Ref, o engines.Options) (batchJob, error) {
	body := e.job(ref, o)
	job, err := e.create(ctx, ref.Plan, body, true)
	if errors.Is(err, kubeapi.ErrExists) {
		job, err = e.makeRoom(ctx, ref, o.Anew)
		if errors.Is(err, errStays) {
			return job, nil
		}
	}
	if err == nil {
		err = e.lacking(ctx)
	}
	if err == nil {
		job, err = e.create(ctx, ref.Plan, body, false)
	}
	if errors.Is(err, kubeapi.ErrExists) {
		// By this very call, whose first answer was lost, or by another of the same plan.
		if job, err = e.standing(ctx, ref.Plan); err == nil {
			err = differs(job, ref)
		}
	}
	return job, err
}

// standing returns the Job that has the name, if it is that of the plan.
func (e *Engine) standing(ctx context.Context, plan plans.ID) (batchJob, error) {
	return e.ours(ctx, plan, e.jobs("get", plan))
}

// ours is what a request for the Job of a plan returns, if it is that.
func (e *Engine) ours(ctx context.Context, plan plans.ID, r kubeapi.Request) (job batchJob, err error) {
	if err := e.api.Do(ctx, r, &job); err != nil {
		return job, err
	}
	a := job.Metadata.Annotations
	if a[annotationPlan] == "" { // nobody else's Job has this name but for one that was put there
		return job, fmt.Errorf("job %s in namespace %s: %w: its annotations are gone, or it is none of Strandline's: look at it, and delete it if nobody needs it",
			jobName(plan, e.lake), e.namespace, engines.ErrUnclear)
	}
	if a[annotationPlan] != plan.String() || a[annotationLake] != e.lake {
		return job, fmt.Errorf("job %s in namespace %s: %w: it is of plan %q of lake %q; delete it if nobody needs it",
			jobName(plan, e.lake), e.namespace, engines.ErrOther, a[annotationPlan], a[annotationLake])
	}
	return job, nil
}

// change does something to the Job of a plan as it stands. Where another is found to have
// taken its place meanwhile, that is looked at in its turn.
func (e *Engine) change(ctx context.Context, plan plans.ID, do func(batchJob) error) error {
	for before := ""; ; {
		job, err := e.standing(ctx, plan)
		if err != nil {
			return known(plan, err)
		}
		err = do(job)
		replaced := errors.Is(err, kubeapi.ErrConflict) || errors.Is(err, kubeapi.ErrInvalid)
		if !replaced || job.Metadata.UID == before {
			return known(plan, err)
		}
		before = job.Metadata.UID
	}
}

// Resize has so many slices be worked at at a time, from now on.
func (e *Engine) Resize(ctx context.Context, plan plans.ID, parallel int) error {
	if parallel < 1 {
		return fmt.Errorf("resize plan %s to %d slices at a time: want at least 1", plan.Short(), parallel)
	}
	return e.set(ctx, plan, object{"parallelism": parallel})
}

// Pause ends the workers, and starts no more until Resume.
func (e *Engine) Pause(ctx context.Context, plan plans.ID) error {
	return e.set(ctx, plan, object{"suspend": true})
}

// Resume goes on after Pause.
func (e *Engine) Resume(ctx context.Context, plan plans.ID) error {
	return e.set(ctx, plan, object{"suspend": false})
}

// set changes fields of the spec of a plan's Job.
func (e *Engine) set(ctx context.Context, plan plans.ID, spec object) error {
	return e.change(ctx, plan, func(job batchJob) error { return e.patch(ctx, plan, job.Metadata.UID, spec) })
}

// Cancel deletes the Job, whose workers end by that. What they have published
// stands, and so does a Job that has ended.
func (e *Engine) Cancel(ctx context.Context, plan plans.ID) error {
	err := e.change(ctx, plan, func(job batchJob) error {
		if observation(job).State.Ended() {
			return nil
		}
		return ignore(e.remove(ctx, plan, job.Metadata.UID), kubeapi.ErrNotFound)
	})
	if err == nil || errors.Is(err, engines.ErrUnknown) || errors.Is(err, engines.ErrOther) {
		return err
	}
	return fmt.Errorf("%w (by hand: kubectl -n %s delete job %s)", err, e.namespace, jobName(plan, e.lake))
}

func ignore(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

// known is said, where what is not there is a Job that was submitted.
func known(plan plans.ID, err error) error {
	err = said(plan, err)
	if errors.Is(err, kubeapi.ErrNotFound) {
		return fmt.Errorf("%w: %w", engines.ErrUnknown, err)
	}
	return err
}

// said is an error of the API as one of the engine, with what to do.
func said(plan plans.ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("plan %s on Kubernetes: %w", plan.Short(), advised(err))
}

// advised is an error of the API with what to do.
func advised(err error) error {
	switch {
	case errors.Is(err, kubeapi.ErrForbidden):
		return fmt.Errorf("%w; who submits needs create, get, patch and delete of jobs in group batch, and list of pods and events: see deploy/kubernetes-job/role.yaml", err)
	case errors.Is(err, kubeapi.ErrInvalid):
		return fmt.Errorf("%w; the field comes from kubernetes in strandline.yaml", err)
	case errors.Is(err, kubeapi.ErrUnreachable):
		return fmt.Errorf("%w; what runs there goes on, and this is safe to do again", err)
	case errors.Is(err, kubeapi.ErrAnswer):
		return fmt.Errorf("%w; something else has the cluster's address, or answers in its place: look at the server of the kubeconfig and at HTTPS_PROXY. What runs there goes on, and this is safe to do again", err)
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
