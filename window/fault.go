package window

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"strandline/internal/duck"
)

// ErrJob says that a job itself is at fault: its SQL can't be run, or it can't
// be run on this data. Running it again changes nothing until SQL or data do.
var ErrJob = errors.New("the job's SQL can't be used")

// ErrResources says that this machine could not do it, such as for want of memory or
// disk or because a local file is broken or gone: it is no fault of the job.
var ErrResources = errors.New("this machine could not compute it")

// ErrDamage says that it can't be done until a person mends what the lake holds. It is ErrResources too, since
// it is no fault of the job, and may be done then.
var ErrDamage error = damage{}

type damage struct{}

func (damage) Error() string {
	return "what it is computed from is lost or damaged in the lake (strandline check-lake says what to restore)"
}
func (damage) Is(target error) bool { return target == ErrResources }

// ValueError says that a landed row has a value that a column which the job reads, as
// it is declared now, does not hold. It lasts until the declaration or the job
// changes, so that it is ErrJob too, although the SQL is as it should be.
type ValueError struct {
	Stream string
	Value  *duck.ValueError
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("stream %s can't be read as it is declared: %v", e.Stream, e.Value)
}

// Is tells that it is ErrJob.
func (e *ValueError) Is(target error) bool { return target == ErrJob }

// classify tells whose fault an error of a computation is. Nothing but what the engine says
// of SQL or rows is the job's: the rest, such as a scratch folder that is full or was removed,
// may pass, and be otherwise on another machine.
func (c *Compiled) classify(ctx context.Context, err error) error {
	var value *duck.ValueError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &value):
		return &ValueError{strings.Join(c.Streams(), " or "), value}
	case errors.Is(err, duck.ErrStatement):
		return &rowsError{err}
	}
	return fmt.Errorf("%w: %w", ErrResources, err)
}

// rowsError says that the job's SQL, which can be used, failed on the rows of a partition.
// It is ErrJob.
type rowsError struct{ err error }

// Error is one line, as lists of partitions have it: where in its statement the engine was
// tells nothing of the row.
func (e *rowsError) Error() string {
	message, _, _ := strings.Cut(e.err.Error(), "\nLINE ")
	return "the job's SQL failed on a row: " + strings.Join(strings.Fields(message), " ")
}

func (e *rowsError) Is(target error) bool { return target == ErrJob }
func (e *rowsError) Unwrap() error        { return e.err }
