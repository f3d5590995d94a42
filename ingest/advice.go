package ingest

import (
	"errors"
	"fmt"
)

// Advice is what to do about a source that is cut, or damaged. The same fault is another
// task for each that brings one: who posts can't wait until a body is complete.
type Advice struct{ cut, damaged string }

// Whom there is to advise.
var (
	OfFile   = Advice{"wait until it is complete, or look why its writer stopped, or copy it again", "copy it again"}
	OfInput  = Advice{"look why what writes it stopped, and send it again, whole", "look at what writes it, and send it again"}
	OfObject = Advice{"look why its writer stopped, and put it again, whole", "put it again"}
	OfBody   = Advice{"send it again, whole", "send it again, and if it is refused again look at what makes it"}
)

// About adds to a fault what to do about it. Other errors stay as they are, and so does none.
func (a Advice) About(err error) error {
	switch {
	case errors.Is(err, ErrTruncated):
		return fmt.Errorf("%w: %s", err, a.cut)
	case errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: %s", err, a.damaged)
	}
	return err
}
