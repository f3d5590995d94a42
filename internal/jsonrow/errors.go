package jsonrow

import (
	"errors"
	"fmt"
	"io/fs"
)

// What can be wrong with a typed file as a whole.
var (
	ErrCut         = errors.New("it ends too early")
	ErrDamaged     = errors.New("it is damaged")
	ErrUnsupported = errors.New("it has what is not read here")
	ErrLarge       = errors.New("it takes more memory than it may")
)

// ErrLong is the problem of a row that has more bytes than it may have.
var ErrLong = errors.New("the row is longer than the limit")

// Guard runs fn and turns a panic into ErrDamaged. It stands around the readers of
// typed files, which on bytes that no writer made index out of range in places that
// their own checks miss: one damaged file must not end a program that lands others.
// What takes the rows never runs inside it.
func Guard(fn func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = Damaged(r)
		default:
			err = fmt.Errorf("%w: reading it panicked: %v", ErrDamaged, r)
		}
	}()
	return fn()
}

// Damaged puts an error of a reader into its class, if it has none yet and is none of
// the disk.
func Damaged(err error) error {
	if disk := new(fs.PathError); errors.As(err, &disk) {
		return err
	}
	for _, class := range []error{ErrCut, ErrDamaged, ErrUnsupported, ErrLarge} {
		if errors.Is(err, class) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
