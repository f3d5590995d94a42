package kafka

import (
	"errors"

	"strandline/internal/trouble"
)

// troubles tells each trouble once, and that it is over.
type troubles struct {
	opts Options
	told string // empty while all is well
}

func (t *troubles) tell(err error) {
	text := trouble.Text(err)
	if errors.Is(err, ErrNoAnswer) {
		text = ErrNoAnswer.Error() // what was tried last is another thing each time
	}
	if text != t.told {
		t.told = text
		t.opts.Trouble(err)
	}
}

// over is called whenever reading goes well.
func (t *troubles) over() {
	if t.told != "" {
		t.told = ""
		t.opts.Over()
	}
}
