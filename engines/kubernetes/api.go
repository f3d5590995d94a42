package kubernetes

import (
	"context"
	"net/url"

	"strandline/engines"
	"strandline/internal/kubeapi"
	"strandline/plans"
)

// API carries requests to the cluster, as *kubeapi.Client does.
type API interface {
	Do(ctx context.Context, r kubeapi.Request, out any) error
}

// batchJob is what is read of a Job.
type batchJob struct {
	Metadata struct {
		UID         string            `json:"uid"`
		Annotations map[string]string `json:"annotations"`
		Deletion    *string           `json:"deletionTimestamp"` // set once it is being deleted
	} `json:"metadata"`
	Spec struct {
		Parallelism int  `json:"parallelism"`
		Completions int  `json:"completions"`
		Suspend     bool `json:"suspend"`
	} `json:"spec"`
	Status struct {
		Active           int         `json:"active"`
		Terminating      int         `json:"terminating"`
		Succeeded        int         `json:"succeeded"`
		Failed           int         `json:"failed"`           // pods, of which some may be tried again
		FailedIndexes    string      `json:"failedIndexes"`    // such as "1,3-5"
		CompletedIndexes string      `json:"completedIndexes"` // likewise
		Conditions       []condition `json:"conditions"`
	} `json:"status"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// find returns the condition of a type, if there is one.
func find(all []condition, kind string) (condition, bool) {
	for _, c := range all {
		if c.Type == kind {
			return c, true
		}
	}
	return condition{}, false
}

// holds returns the condition of a type, if it is true.
func holds(all []condition, kind string) (condition, bool) {
	c, known := find(all, kind)
	return c, known && c.Status == "True"
}

// podList is what is read of pods.
type podList struct {
	Items []pod `json:"items"`
}

type pod struct {
	Metadata struct {
		Name string `json:"name"`
		UID  string `json:"uid"`
	} `json:"metadata"`
	Status struct {
		Conditions []condition `json:"conditions"`
		Containers []struct {
			State struct {
				Waiting    *reason `json:"waiting"`
				Terminated *reason `json:"terminated"`
			} `json:"state"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// refused is how many of its containers ended so that the Job has failed.
func (p pod) refused() (n int) {
	for _, c := range p.Status.Containers {
		if t := c.State.Terminated; t != nil && engines.Ending(t.ExitCode).Plan() {
			n++
		}
	}
	return n
}

// eventList is what is read of the events of an object.
type eventList struct {
	Items []reason `json:"items"`
}

type reason struct {
	Reason   string `json:"reason"`
	Message  string `json:"message"`
	ExitCode int    `json:"exitCode"`
}

// jobs is a request for the Job of a plan.
func (e *Engine) jobs(verb string, plan plans.ID) kubeapi.Request {
	return kubeapi.Request{Verb: verb, Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespace: e.namespace, Name: jobName(plan, e.lake)}
}

// create makes a Job, or with dry only has the cluster say what it would say to
// that. Fields that the cluster doesn't know are refused, rather than left out.
func (e *Engine) create(ctx context.Context, plan plans.ID, body object, dry bool) (job batchJob, err error) {
	r := e.jobs("create", plan)
	r.Body, r.Query = body, url.Values{"fieldValidation": {"Strict"}}
	if dry {
		r.Query.Set("dryRun", "All")
	}
	err = e.api.Do(ctx, r, &job)
	return job, err
}

// patch changes fields of a Job's spec. It is ErrInvalid where another has the name by now:
// a uid can't be changed.
func (e *Engine) patch(ctx context.Context, plan plans.ID, uid string, spec object) error {
	r := e.jobs("patch", plan)
	r.Body = object{"metadata": object{"uid": uid}, "spec": spec}
	return e.api.Do(ctx, r, nil)
}

// remove deletes a Job, which is gone once all its pods are. It is ErrConflict where another
// has the name by now.
func (e *Engine) remove(ctx context.Context, plan plans.ID, uid string) error {
	r := e.jobs("delete", plan)
	r.Body = object{
		"apiVersion": "v1", "kind": "DeleteOptions",
		"propagationPolicy": "Foreground", "preconditions": object{"uid": uid},
	}
	return e.api.Do(ctx, r, nil)
}

// pods lists some pods of a Job that are in a phase.
func (e *Engine) pods(ctx context.Context, uid, phase string) (list podList, err error) {
	r := kubeapi.Request{
		Verb: "list", Version: "v1", Resource: "pods", Kind: "Pod", Namespace: e.namespace, Once: true,
		Query: url.Values{
			"labelSelector": {"batch.kubernetes.io/controller-uid=" + uid},
			"fieldSelector": {"status.phase=" + phase}, "limit": {"20"},
		},
	}
	err = e.api.Do(ctx, r, &list)
	return list, err
}

// warning returns the newest warning that the cluster has of an object, or "" where there is none
// or it can't be asked.
func (e *Engine) warning(ctx context.Context, uid string) string {
	r := kubeapi.Request{
		Verb: "list", Version: "v1", Resource: "events", Kind: "Event", Namespace: e.namespace, Once: true,
		Query: url.Values{"fieldSelector": {"type=Warning,involvedObject.uid=" + uid}},
	}
	var list eventList
	if err := e.api.Do(ctx, r, &list); err != nil || len(list.Items) == 0 {
		return ""
	}
	newest := list.Items[len(list.Items)-1] // they are listed by names, which grow with time
	return join(newest.Reason, newest.Message)
}
