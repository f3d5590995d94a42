package requests

import (
	"fmt"
	"time"

	"strandline/internal/trouble"
)

// machine is what a worker knows of the machine that it runs on. Where that can't do slices the worker steps back:
// it claims none, so that others have them, and looks after a while whether it can again, at longer and longer
// intervals until a slice was run to its end.
type machine struct {
	why   error     // it can't do slices; nil: it can, or may
	steps int       // how often it has stepped back in a row, or looked in vain
	until time.Time // when to look again
	told  string    // why it stepped back, as was told last
}

// fails notes that the machine can't do slices. It tells whether that is for another reason than was told.
func (m *machine) fails(why error, now time.Time) (news bool) {
	m.why = why
	m.until = now.Add(min(time.Second<<min(m.steps, maxTries+1), judgeAgain))
	m.steps++
	text := trouble.Text(why)
	news = text != m.told
	m.told = text
	return news
}

// well notes that a slice was run to its end. It tells whether that is news.
func (m *machine) well() (news bool) {
	news = m.told != ""
	m.steps, m.told = 0, ""
	return news
}

// stuck tells whether it has not been able to do slices for a while.
func (m *machine) stuck() bool { return m.why != nil && m.steps >= maxTries }

// err is why it can't, for who waits no longer.
func (m *machine) err() error {
	if m.why == nil {
		return nil
	}
	return fmt.Errorf("this machine can't do slices, which are left to others: %w", m.why)
}

// stepBack notes what a run that has ended says of the machine.
func (w *Worker) stepBack(e ended) {
	m := &w.desk.machine
	switch {
	case e.Err == nil && m.well():
		w.options.Tell("this machine can do slices again")
	case e.Machine && m.why == nil && m.fails(e.Err, w.desk.now()):
		w.options.Tell("slice %d of request %s is left to others, and so is all else until this machine can do slices, which is looked for at least every %s: %v", e.Slice, e.Plan.Short(), judgeAgain, e.Err)
	}
}

// probe looks, when it is time to, whether the machine can do slices again.
func (w *Worker) probe() {
	m := &w.desk.machine
	if m.why == nil || w.desk.now().Before(m.until) {
		return
	}
	err := error(nil)
	if w.options.Probe != nil {
		err = w.options.Probe()
	}
	if err == nil {
		m.why = nil // and the next slice will tell
		return
	}
	if m.fails(err, w.desk.now()) {
		w.options.Tell("this machine still can't do slices: %v", err)
	}
}
