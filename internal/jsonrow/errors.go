package jsonrow

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"runtime"
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

// Guard runs fn and turns a panic into ErrDamaged, which tells what of the file was read.
// It stands around the readers of typed files, which on bytes that no writer made index out
// of range in places that their own checks miss: one damaged file must not end a program
// that lands others. What takes the rows never runs inside it.
func Guard(what string, fn func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			if isOfGo(err) { // a reader that has recovered by itself
				err = Misfit(what)
			}
		case error:
			if err = Damaged(r); isOfGo(r) {
				err = Misfit(what)
			}
		default:
			err = Misfit(what)
		}
	}()
	return fn()
}

// isOfGo tells whether an error is of a mistake in a program, as Go words it, which
// tells the owner of a file nothing. What a reader panics with on purpose is worded for
// people.
func isOfGo(err error) bool {
	var index runtime.Error
	var kind *reflect.ValueError
	return errors.As(err, &index) || errors.As(err, &kind)
}

// Misfit is that a part of a file contradicts itself or another part.
func Misfit(what string) error { return fmt.Errorf("%w: %s does not fit together", ErrDamaged, what) }

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
