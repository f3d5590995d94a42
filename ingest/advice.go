package ingest

import (
	"errors"
	"fmt"
)

// Advice is what to do about a source that is cut, or damaged, or of another format. The same fault is another
// task for each that brings one: who posts can't wait until a body is complete.
type Advice struct {
	cut, damaged, other string

	unlike string // of one that is not as was declared, where who brings it declares nothing
}

const declared = "declare that format, or land it with --format"

// Whom there is to advise.
var (
	OfFile   = Advice{cut: "wait until it is complete, or look why its writer stopped, or copy it again", damaged: "copy it again", other: declared}
	OfLookup = Advice{cut: OfFile.cut, damaged: OfFile.damaged, other: "declare that format"}
	OfInput  = Advice{cut: "look why what writes it stopped, and send it again, whole", damaged: "look at what writes it, and send it again", other: declared}
	OfObject = Advice{cut: "look why its writer stopped, and put it again, whole", damaged: "put it again", other: declared}
	OfBody   = Advice{cut: "send it again, whole", damaged: "send it again, and if it is refused again look at what makes it", other: "send it with the Content-Type of that", unlike: "send it as the stream declares"}
)

// About adds to a fault what to do about it. Other errors stay as they are, and so does none.
func (a Advice) About(err error) error {
	var other otherForm
	var u unlike
	switch {
	case a.unlike != "" && errors.As(err, &u):
		u.mend = a.unlike
		return u
	case errors.As(err, &other) && other.readable:
		return fmt.Errorf("%w: %s", err, a.other)
	case errors.Is(err, ErrTruncated):
		return fmt.Errorf("%w: %s", err, a.cut)
	case errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: %s", err, a.damaged)
	}
	return err
}
