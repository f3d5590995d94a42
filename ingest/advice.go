package ingest

import (
	"errors"
	"fmt"
)

// Advice is what to do about a source that is cut, or damaged, or of another format. The same fault is another
// task for each that brings one: who posts can't wait until a body is complete.
type Advice struct{ cut, damaged, other string }

const declared = "declare that format, or land it with --format"

// Whom there is to advise.
var (
	OfFile   = Advice{"wait until it is complete, or look why its writer stopped, or copy it again", "copy it again", declared}
	OfLookup = Advice{OfFile.cut, OfFile.damaged, "declare that format"}
	OfInput  = Advice{"look why what writes it stopped, and send it again, whole", "look at what writes it, and send it again", declared}
	OfObject = Advice{"look why its writer stopped, and put it again, whole", "put it again", declared}
	OfBody   = Advice{"send it again, whole", "send it again, and if it is refused again look at what makes it", "send it with the Content-Type of that"}
)

// About adds to a fault what to do about it. Other errors stay as they are, and so does none.
func (a Advice) About(err error) error {
	var other otherForm
	switch {
	case errors.As(err, &other) && other.readable:
		return fmt.Errorf("%w: %s", err, a.other)
	case errors.Is(err, ErrTruncated):
		return fmt.Errorf("%w: %s", err, a.cut)
	case errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: %s", err, a.damaged)
	}
	return err
}
