package ingest

import (
	"errors"
	"fmt"
)

// ErrInput is the class of faults that lie in the source itself: reading the
// same bytes again would end the same way. All the errors below but
// ErrVanished, ErrUnreadable and ErrChanged belong to it.
var ErrInput = errors.New("bad input")

// fault is a named error of one source.
type fault string

func (f fault) Error() string { return string(f) }

// Is puts a fault into the class of bad input.
func (f fault) Is(target error) bool { return target == ErrInput }

// What can be wrong with a whole source. Nothing of it is landed then. What to do about
// one that is cut or damaged is said by an Advice.
const (
	ErrFolder    = fault("it is a folder: name the files in it, or declare it as the stream's dir, which strandline run watches and strandline land without a file takes in")
	ErrIrregular = fault("it is not a regular file: send it through standard input instead")
	ErrTruncated = fault("its data ends too early")
	ErrCorrupt   = fault("its data is damaged")
	ErrFormat    = fault("it is not in a form that is read here")
	ErrHeader    = fault("its columns do not fit the stream")
	ErrPartial   = fault("its last line has no line end, so it is no whole line yet: it lands once it has one")
	ErrLarge     = fault("reading it takes more memory than it may: write it in smaller pages, batches or blocks")
	ErrSyntax    = fault("what holds its records together is wrong, so that they can't be told apart: mend it")
)

// unlike is the error of a source that is not as was declared.
type unlike struct {
	error
	seems string // what it seems to be instead; "" where that is not known
	mend  string // what the owner of the stream may do about it
}

func (u unlike) Error() string {
	if u.seems == "" {
		return fmt.Sprintf("%v; %s", u.error, u.mend)
	}
	return fmt.Sprintf("%v; %s: %s", u.error, u.seems, u.mend)
}

func (u unlike) Unwrap() error { return u.error }

// What can go wrong with a file and be otherwise at the next try.
var (
	ErrVanished   = errors.New("there is no such file: check its name, or whether it was moved or deleted")
	ErrUnreadable = errors.New("it may not be read: give this user the right to read it")
	ErrChanged    = errors.New("it changed while it was being read: nothing was landed, try again once it is complete")
)
