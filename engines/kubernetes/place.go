package kubernetes

import (
	"context"
	"errors"
	"fmt"

	"strandline/engines"
	"strandline/internal/kubeapi"
)

// Place implements engines.Placed: a namespace has an uid that no other has, in whatever cluster. Without the right
// to get the namespace it is not known.
func (e *Engine) Place(ctx context.Context) (engines.Place, error) {
	p := engines.Place{Namespace: e.namespace, Server: e.server}
	var namespace struct {
		Metadata struct {
			UID string `json:"uid"`
		} `json:"metadata"`
	}
	err := e.api.Do(ctx, kubeapi.Request{Verb: "get", Version: "v1", Resource: "namespaces", Kind: "Namespace", Name: e.namespace, Once: true}, &namespace)
	if err != nil && !errors.Is(err, kubeapi.ErrForbidden) && !errors.Is(err, kubeapi.ErrNotFound) {
		return p, fmt.Errorf("ask which namespace it is: %w", advised(err))
	}
	p.ID = namespace.Metadata.UID
	return p, nil
}
