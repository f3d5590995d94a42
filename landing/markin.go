package landing

import (
	"cmp"
	"slices"
	"time"
)

// markTracking finds out how far the rows of an intake bring its stream.
type markTracking struct {
	most  int64 // the latest event time that is not too far ahead, in µs
	ways  []*wayTracking
	index map[string]*wayTracking
	now   *wayTracking // of the rows to come; nil: their way in is not known
	rows  stretches
}

type wayTracking struct {
	name   string
	latest int64
	ahead  int64
	rows   int64
}

// trackMarks begins to track rows that land at a time and come in by a way.
func trackMarks(rule Watermark, landedAt time.Time, way string) *markTracking {
	t := &markTracking{most: landedAt.Add(rule.orDefault().Skew).UnixMicro(), index: map[string]*wayTracking{}}
	t.by(way)
	return t
}

// by says by which way the rows to come do.
func (t *markTracking) by(way string) {
	if t.now = t.index[way]; t.now == nil && way != "" {
		t.now = &wayTracking{name: way, latest: never}
		t.index[way], t.ways = t.now, append(t.ways, t.now)
	}
}

// see takes in the event time of a row, in µs.
func (t *markTracking) see(eventTime int64) {
	t.rows.see(eventTime)
	w := t.now
	if w == nil {
		return
	}
	w.rows++
	if eventTime > t.most {
		w.ahead++
	} else if eventTime > w.latest {
		w.latest = eventTime
	}
}

// marks are those of the rows that were seen, by name.
func (t *markTracking) marks() (out []Mark) {
	for _, w := range t.ways {
		if w.rows > 0 {
			m := Mark{Way: w.name, Ahead: w.ahead}
			m.Latest, _ = instant(w.latest)
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Mark) int { return cmp.Compare(a.Way, b.Way) })
	return out
}
