package landing

import (
	"errors"
	"fmt"
	"time"

	"strandline/internal/packed"
)

// any tells whether there is anything to know of how far the stream has come. It is
// packed after all else, so that checkpoints of other states stay as they were.
func (m *marks) any() bool { return m.clock != never || m.rule != (Watermark{}) }

func (m *marks) pack(w *packed.Writer) {
	for _, d := range []time.Duration{m.rule.Delay, m.rule.Idle, m.rule.Skew} {
		w.Int(int64(d))
	}
	w.Int(m.clock)
	w.Int(m.high)
	w.Uint(uint64(len(m.ways)))
	for _, way := range m.ways {
		w.Text(way.name)
		w.Int(way.latest)
		w.Int(way.landed)
		w.Int(way.ahead)
	}
	m.steps.pack(w)
	w.Int(int64(m.forgotten))
	w.Uint(uint64(len(m.late)))
	last := landedLate{}
	for _, l := range m.late {
		w.Int(int64(l.at - last.at))
		w.Int(l.from - last.from)
		w.Int(l.to - l.from)
		w.Int(l.oldest - l.from)
		w.Int(l.rows)
		w.Int(l.watermark - last.watermark)
		last = l
	}
}

func (m *marks) unpack(r *packed.Reader, steps func(*packed.Reader) steps) error {
	m.rule = Watermark{Delay: time.Duration(r.Int()), Idle: time.Duration(r.Int()), Skew: time.Duration(r.Int())}
	m.clock, m.high = r.Int(), r.Int()
	m.ways = room[way](r, 4)
	for i := range m.ways {
		m.ways[i] = way{name: r.Text(), latest: r.Int(), landed: r.Int(), ahead: r.Int()}
	}
	m.steps = steps(r)
	m.forgotten = Position(r.Int())
	m.late = room[landedLate](r, 6)
	last := landedLate{}
	for i := range m.late {
		l := landedLate{at: last.at + Position(r.Int()), from: last.from + r.Int()}
		l.to, l.oldest, l.rows, l.watermark = l.from+r.Int(), l.from+r.Int(), r.Int(), last.watermark+r.Int()
		m.late[i], last = l, l
	}
	if r.Err() != nil {
		return r.Err()
	}
	return m.check()
}

// check tells whether all is in order.
func (m *marks) check() error {
	if m.rule != (Watermark{}) {
		if err := m.rule.Validate(); err != nil {
			return err
		}
	}
	for i, w := range m.ways {
		if i > 0 && m.ways[i-1].name >= w.name || w.landed > m.clock || w.ahead < 0 {
			return fmt.Errorf("the way in %q is out of order", w.name)
		}
	}
	if err := m.steps.check(m.high); err != nil {
		return err
	}
	for i, l := range m.late {
		if l.from >= l.to || l.rows <= 0 || i > 0 && l.at < m.late[i-1].at || l.at < m.forgotten {
			return errors.New("what landed late is out of order")
		}
	}
	return nil
}
