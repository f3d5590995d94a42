package engines

import (
	"context"
	"errors"
)

// Place is where an engine has plans worked. Who asks elsewhere finds none of them.
type Place struct {
	Namespace string // in which its work is
	Server    string // the address of who runs it, for people: one may have several
	ID        string // of the namespace, and of no other anywhere; "" where it is not known
}

// Placed is an engine that works plans in one of several places.
type Placed interface {
	// Place asks where that is. Who may not know its ID is told the rest.
	Place(ctx context.Context) (Place, error)
}

// ErrUnclear says that what an engine has in the place of a plan tells neither that it is of that plan nor of
// which other. It is left alone, and nothing is known of the plan.
var ErrUnclear = errors.New("it is not told of which plan it is")
