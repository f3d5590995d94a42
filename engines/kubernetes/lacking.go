package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"strandline/internal/kubeapi"
)

// ErrLacking says that a namespace lacks something that the configuration names, without which no
// pod starts.
var ErrLacking = errors.New("no pod could start")

// lacking is ErrLacking if the namespace lacks what pods are made of. What the account may not
// read is not known, and taken to be there.
func (e *Engine) lacking(ctx context.Context) error {
	var missing []string
	for _, r := range e.needs() {
		switch err := e.api.Do(ctx, r, nil); {
		case errors.Is(err, kubeapi.ErrNotFound):
			missing = append(missing, r.Kind+" "+r.Name)
		case errors.Is(err, kubeapi.ErrForbidden):
		case err != nil:
			return err
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("%w: namespace %s has no %s; make it there, or name another under kubernetes in strandline.yaml",
		ErrLacking, e.namespace, strings.Join(missing, ", and no "))
}

// needs are requests for the objects that pods are made of.
func (e *Engine) needs() []kubeapi.Request {
	all := []kubeapi.Request{e.object("configmaps", "ConfigMap", e.config.ConfigMap)}
	if e.config.ServiceAccount != "" {
		all = append(all, e.object("serviceaccounts", "ServiceAccount", e.config.ServiceAccount))
	}
	for _, name := range e.config.Secrets {
		all = append(all, e.object("secrets", "Secret", name))
	}
	return all
}

// object is a request for one of the namespace.
func (e *Engine) object(resource, kind, name string) kubeapi.Request {
	return kubeapi.Request{Verb: "get", Version: "v1", Resource: resource, Kind: kind, Namespace: e.namespace, Name: name}
}
