package duck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// ErrMemory is what an error is when a statement needs more than the memory
// limit and can't spill, or more than may be spilled.
var ErrMemory = errors.New("out of memory")

// ErrIO is what an error is when a file could not be read or written, or is
// not what it should be.
var ErrIO = errors.New("file trouble")

// ErrStatement is what an error is when the engine says that a statement can't be run,
// or can't be run on the rows that it has read. It would say so wherever it is run.
var ErrStatement = errors.New("the statement can't be run")

// ErrEngine is what an error is when the engine could not go on, and does not blame a
// statement, memory or a file for it.
var ErrEngine = errors.New("the SQL engine could not go on; if that comes again, start this process again")

// statementError is ErrStatement in the engine's own words.
type statementError string

func (e statementError) Error() string        { return string(e) }
func (e statementError) Is(target error) bool { return target == ErrStatement }

// ofStatement are the classes of the engine's errors that blame a statement, or the rows
// that it has read. Any other is trouble that may pass.
var ofStatement = []duckdb.ErrorType{
	duckdb.ErrorTypeOutOfRange, duckdb.ErrorTypeConversion, duckdb.ErrorTypeUnknownType, duckdb.ErrorTypeDecimal,
	duckdb.ErrorTypeMismatchType, duckdb.ErrorTypeDivideByZero, duckdb.ErrorTypeObjectSize, duckdb.ErrorTypeInvalidType,
	duckdb.ErrorTypeNotImplemented, duckdb.ErrorTypeExpression, duckdb.ErrorTypeCatalog, duckdb.ErrorTypeParser,
	duckdb.ErrorTypePlanner, duckdb.ErrorTypeExecutor, duckdb.ErrorTypeConstraint, duckdb.ErrorTypeSyntax,
	duckdb.ErrorTypeSettings, duckdb.ErrorTypeBinder, duckdb.ErrorTypeInvalidInput, duckdb.ErrorTypePermission,
	duckdb.ErrorTypeParameterNotResolved, duckdb.ErrorTypeParameterNotAllowed, duckdb.ErrorTypeDependency,
	duckdb.ErrorTypeMissingExtension, duckdb.ErrorTypeAutoLoad, duckdb.ErrorTypeSequence,
}

// explain turns an error of the engine into one for a person: a cancelled
// statement says so, and the engine's own advice, which nobody can follow
// here, is replaced by ours. A nil error stays nil.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	var engine *duckdb.Error
	if !errors.As(err, &engine) {
		return err
	}
	message := strings.TrimRight(engine.Msg, "\n ")
	if err := asValueError(message); err != nil {
		return err
	}
	if _, ours, ok := strings.Cut(message, calledBack); ok {
		message = ours
	}
	switch {
	case engine.Type == duckdb.ErrorTypeOutOfMemory:
		first, _, _ := strings.Cut(strings.TrimPrefix(message, "Out of Memory Error: "), "\n")
		return fmt.Errorf("%w: %s: raise the memory limit or the room for spill files, or make partitions smaller", ErrMemory, first)
	case engine.Type == duckdb.ErrorTypeIO, strings.Contains(message, unreadable):
		return fmt.Errorf("%w: %s", ErrIO, message)
	case slices.Contains(ofStatement, engine.Type):
		return statementError(message)
	}
	return fmt.Errorf("%w: %s", ErrEngine, message)
}

// calledBack is what the driver puts before the errors of our own functions.
const calledBack = "database/sql/driver: API error: "

// unreadable is how the engine begins what it says of a broken page of a
// Parquet file, which it counts among the invalid inputs. A broken footer
// shows when the view of the file is made.
const unreadable = "Failed to read file"

// interrupted says why ctx ended, as text only: the cause may be the error of
// a neighbour, and errors.Is must not take this one for it.
func interrupted(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("statement interrupted: %w (%v)", ctx.Err(), cause)
	}
	return fmt.Errorf("statement interrupted: %w", ctx.Err())
}
