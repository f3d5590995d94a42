package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"strandline/engines"
	"strandline/engines/kubernetes"
	"strandline/internal/config"
	"strandline/internal/kubeapi"
	"strandline/internal/objstore"
	"strandline/requests"
)

// onKubernetes is the name of the engine, in flags and in the log of requests.
const onKubernetes = "kubernetes"

// engine is the one of a name other than that of the lake's own workers.
func (l *lake) engineOn(name string) (engines.Engine, error) {
	if name != onKubernetes {
		return nil, fmt.Errorf("%q is no engine that this program knows: want %s", name, onKubernetes)
	}
	c := l.config
	if c.Kubernetes == nil {
		return nil, &config.Problem{File: c.Path, Line: 1, Column: 1, Text: "kubernetes is missing: it says with which image slices run in the cluster, as kubernetes: {image: …}"}
	}
	if _, mounts := c.Kubernetes.Container["volumeMounts"]; !c.Lake.InS3() && !mounts {
		return nil, &config.Problem{File: c.Path, Line: 1, Column: 1, Text: fmt.Sprintf(
			"the lake is the folder %s, which no pod has: mount it by kubernetes: {pod: {volumes: …}, container: {volumeMounts: …}}, or use a lake in a bucket", c.Lake)}
	}
	api, err := kubeapi.Find(kubeapi.Where{Context: c.Kubernetes.Context}, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("find the Kubernetes cluster: %w", err)
	}
	api.Tell = l.note
	return kubernetes.New(kubernetes.Options{API: api, Config: *c.Kubernetes, Namespace: api.Namespace, Server: api.Server(), Lake: l.place()}), nil
}

// place tells the lake from its copies too: buckets of one name may be at several endpoints.
func (l *lake) place() string {
	if bucket, is := l.store.(*objstore.S3); is && bucket.Endpoint() != "" {
		return fmt.Sprintf("%s at %s", l.config.Lake, bucket.Endpoint())
	}
	return l.config.Lake.String()
}

// hand gives what was entered to its engine. What that refuses has failed, but for
// what was live before: that the engine has it otherwise ends nothing that runs there. Where it gave no
// answer it may have it or not, and whoever looks next finds out.
func (l *lake) hand(ctx context.Context, engine engines.Engine, s requests.Submission, live bool) error {
	r, err := l.requests.Find(ctx, s.Plan.String())
	if err != nil {
		return err
	}
	o := optionsOf(s)
	o.Anew = !live // what the engine may have done of it was before it was asked for now
	work, err := engine.Submit(ctx, refOf(s), o)
	switch {
	case err != nil && live:
		return err
	case unanswered(err):
		return fmt.Errorf("request %[1]s is in the lake, and %[2]s may have it or not: once that answers, the same again makes sure, strandline backfill show %[1]s tells, and strandline backfill cancel %[1]s ends it: %[3]w", s.Plan.Short(), s.On, err)
	case err != nil:
		return errors.Join(err, l.settle(ctx, r, requests.Outcome{Reason: err.Error()}))
	}
	return l.requests.Given(ctx, r, work) // who looked before the engine had it takes it to be gone
}

// unanswered tells whether an engine may have done what it was asked for, or not.
func unanswered(err error) bool {
	return isAny(err, kubeapi.ErrUnreachable, kubeapi.ErrAnswer, engines.ErrUnclear)
}

func refOf(s requests.Submission) engines.Ref { return engines.Ref{Plan: s.Plan, Slices: s.Slices} }

func optionsOf(s requests.Submission) engines.Options {
	o := engines.Options{Parallel: s.Parallel, MaxFailures: s.MaxFailures, Priority: s.Priority, Left: s.Left}
	if s.Tried != nil {
		o.Before = *s.Tried
	}
	return o
}

// settle enters how an engine has ended a request, as that was before the engine was asked, unless it has ended or
// was changed since.
func (l *lake) settle(ctx context.Context, looked *requests.Request, o requests.Outcome) error {
	err := l.requests.Settle(ctx, looked, o, looked.On)
	if errors.Is(err, requests.ErrEnded) {
		return nil
	}
	return err
}
