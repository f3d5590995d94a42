package main

import (
	"context"
	"errors"
	"fmt"

	"strandline/engines"
	"strandline/requests"
)

// errElsewhere says that an engine is asked in another place than a request was given to, and so knows nothing of it.
var errElsewhere = errors.New("it was given to another place")

// placeOf is where an engine works plans; nil where there is one place alone.
func placeOf(ctx context.Context, engine engines.Engine) (*requests.Place, error) {
	placed, is := engine.(engines.Placed)
	if !is {
		return nil, nil
	}
	p, err := placed.Place(ctx)
	if err != nil {
		return nil, err
	}
	place := requests.Place(p)
	return &place, nil
}

// elsewhereOf is errElsewhere if a request was given to another place than that. Where it was given by a program
// that did not write down the place, it is taken to be that.
func elsewhereOf(r *requests.Request, here *requests.Place) error {
	if r.Place == nil || here == nil || !r.Place.Elsewhere(*here) {
		return nil
	}
	return fmt.Errorf("request %s: %w: it is in %s, and this configuration asks %s; use the kubeconfig, the context and the namespace that it was given by",
		r.Plan.Short(), errElsewhere, r.Place, here)
}

// unsure is errElsewhere if it can't be told whether a request was given to that place, of which the account may not
// know which it is.
func unsure(r *requests.Request, here *requests.Place) error {
	if r.Place == nil || here == nil || r.Place.ID == "" || here.ID != "" {
		return nil
	}
	return fmt.Errorf("request %s: it may be that %w: it is in %s, and this configuration asks %s, has no Job of it there, and may not get the namespace, which would tell whether it is that one: see deploy/kubernetes-job/role.yaml",
		r.Plan.Short(), errElsewhere, r.Place, here)
}

// observeHere asks an engine of a request once, unless it is another place that the request was given to.
func observeHere(ctx context.Context, engine engines.Engine, r *requests.Request) (observed, error) {
	if r.Place == nil {
		return observe(ctx, engine, r)
	}
	here, err := placeOf(ctx, engine)
	if err != nil {
		return observed{}, err
	}
	if err := elsewhereOf(r, here); err != nil {
		return observed{elsewhere: err}, nil
	}
	seen, err := observe(ctx, engine, r)
	if err == nil && seen.gone {
		seen.elsewhere = unsure(r, here)
	}
	return seen, err
}
