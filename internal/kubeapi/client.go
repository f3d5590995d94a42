// Package kubeapi asks the API of a Kubernetes cluster over plain HTTPS, with
// the credentials of a kubeconfig or of the pod that it runs in.
//
// It knows no kinds of objects: a caller brings structs with the fields that it needs.
package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client asks one cluster. It may be used by several at once.
type Client struct {
	// Namespace is that of the kubeconfig's context or of the pod, else "default".
	Namespace string
	// Tell is told of waits of a second and more; nil: nobody is.
	Tell func(format string, args ...any)

	server *url.URL
	creds  credentials
	http   *http.Client
	now    func() time.Time
	pause  func(context.Context, time.Duration) error
}

// Server is the address of the cluster.
func (c *Client) Server() string { return c.server.String() }

// Request is one request for objects of a kind.
type Request struct {
	Verb      string     // of the cluster's rules: get, list, create, patch, delete
	Group     string     // such as batch; empty: the core's
	Version   string     // such as v1
	Resource  string     // such as jobs
	Kind      string     // of one of them, such as Job
	Namespace string     // none of what is in none, as namespaces themselves
	Name      string     // none for list
	Query     url.Values // such as dryRun=All
	Body      any        // is sent as JSON; a patch is a merge patch
	// Once asks once alone, where others are repeated while the cluster is busy or away.
	Once bool
}

// maxAnswer is the most that an answer may be, in bytes.
const maxAnswer = 64 << 20

// Do carries a request out and reads the answer into out, unless that is nil. What is not
// the answer of a Kubernetes API to this request, of whatever code, is ErrAnswer.
//
// What the cluster answers 429 or 5xx to, and what got no answer, is tried
// again for some seconds, or where it asks for longer waits (Retry-After) for up to a minute, so
// a request may be carried out twice: a create may
// find what it made itself (ErrExists), a delete nothing any more (ErrNotFound).
// An error is an *Error, which holds one of the package's where it is of that kind.
func (c *Client) Do(ctx context.Context, r Request, out any) error {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return c.wrap(r, err)
		}
	}
	renewed, begun := false, c.now()
	for try := 0; ; try++ {
		wait, err := c.try(ctx, r, body, out)
		if err == nil {
			return nil
		}
		if isUnauthorized(err) && c.creds.renew != nil && !renewed {
			renewed = true
			c.creds.renew()
			continue
		}
		if wait < 0 || r.Once || try == len(waits) || ctx.Err() != nil {
			return c.wrap(r, err)
		}
		wait = max(wait, waits[try])
		if c.now().Sub(begun)+wait > patience {
			return c.wrap(r, tooLong(err, wait))
		}
		if err := c.waitFor(ctx, r, wait, err); err != nil {
			return c.wrap(r, err)
		}
	}
}

// try asks once. wait is the least time to wait before the next try, and
// negative where that is of no use.
func (c *Client) try(ctx context.Context, r Request, body []byte, out any) (wait time.Duration, err error) {
	request, err := c.request(ctx, r, body)
	if err != nil {
		return -1, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return retryable(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, &unreachable{err}
	case len(data) > maxAnswer:
		return -1, fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
	case answer.StatusCode >= 300:
		return waitOf(answer), statusOf(answer, data)
	}
	if err := r.answers(answer, data); err != nil || out == nil {
		return -1, err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return -1, fmt.Errorf("read the answer: %w", err)
	}
	return 0, nil
}

var methods = map[string]string{"get": http.MethodGet, "list": http.MethodGet, "create": http.MethodPost, "patch": http.MethodPatch, "delete": http.MethodDelete}

func (c *Client) request(ctx context.Context, r Request, body []byte) (*http.Request, error) {
	u := c.server.JoinPath(r.path()...)
	u.RawQuery = r.Query.Encode()
	request, err := http.NewRequestWithContext(ctx, methods[r.Verb], u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "strandline")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.Verb == "patch" {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	authorization, err := c.creds.authorization(ctx)
	if err != nil {
		return nil, err
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	return request, nil
}

func (r Request) path() []string {
	path := []string{"api", r.Version}
	if r.Group != "" {
		path = []string{"apis", r.Group, r.Version}
	}
	if r.Namespace != "" {
		path = append(path, "namespaces", r.Namespace)
	}
	path = append(path, r.Resource)
	if r.Name != "" && r.Verb != "create" {
		path = append(path, r.Name)
	}
	return path
}

// String says what is attempted, as "create jobs.batch x in namespace y".
func (r Request) String() string {
	kind := r.Resource
	if r.Group != "" {
		kind += "." + r.Group
	}
	text := fmt.Sprintf("%s %s %s", r.Verb, kind, r.Name)
	if r.Namespace != "" {
		text += " in namespace " + r.Namespace
	}
	return strings.Join(strings.Fields(text), " ")
}
