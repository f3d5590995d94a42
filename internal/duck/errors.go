package duck

import (
	"context"
	"errors"
	"fmt"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// ErrMemory is what an error is when a statement needs more than the memory
// limit and can't spill, or more than may be spilled.
var ErrMemory = errors.New("out of memory")

// ErrIO is what an error is when a file could not be read or written, or is
// not what it should be.
var ErrIO = errors.New("file trouble")

// explain turns an error of the engine into one for a person: a cancelled
// statement says so, and the engine's own advice, which nobody can follow
// here, is replaced by ours. A nil error stays nil.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("statement interrupted: %w", cause)
	}
	var engine *duckdb.Error
	if !errors.As(err, &engine) {
		return err
	}
	if engine.Type == duckdb.ErrorTypeOutOfMemory {
		first, _, _ := strings.Cut(strings.TrimPrefix(engine.Msg, "Out of Memory Error: "), "\n")
		return fmt.Errorf("%w: %s: raise the memory limit or the room for spill files, or make partitions smaller", ErrMemory, first)
	}
	if engine.Type == duckdb.ErrorTypeIO {
		return fmt.Errorf("%w: %s", ErrIO, strings.TrimRight(engine.Msg, "\n "))
	}
	return errors.New(strings.TrimRight(engine.Msg, "\n "))
}
