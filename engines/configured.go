package engines

import (
	"context"
	"errors"
)

// Configured is an engine whose workers have a configuration of their own, which may be another
// than that of who submits.
type Configured interface {
	// Configuration asks for it. It is ErrUnseen where this account may not look.
	Configuration(ctx context.Context) (Configuration, error)
}

// Configuration is what workers of an engine are configured with, as far as that shows.
type Configuration struct {
	In    string            // what holds it, for people
	File  string            // the absolute path that workers read it at
	Files map[string][]byte // by name: it, and what lies beside it
	Env   map[string]string // variables that workers are known to have; they may have more
}

// ErrUnseen says that it is not for this account to see what the workers of an engine are
// configured with.
var ErrUnseen = errors.New("it can't be seen")
