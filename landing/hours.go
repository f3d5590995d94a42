package landing

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// hours sums up the rows of each bucket-hour that has some, or had.
type hours struct {
	expired hourSums // of the rows that have expired
	all     *summed
	held    *holders
}

func newHours(expired hourSums) hours { return hours{expired, &summed{}, &holders{in: everyHour}} }

// everyHour is more than all hours that event times may lie in.
var everyHour = Hours{math.MinInt64 / 4, math.MaxInt64 / 4}

// has tells whether a range takes in another one.
func (h Hours) has(r Hours) bool { return h.From <= r.From && r.To <= h.To }

// summed are the sums of all rows, those that have expired too. They are made of the
// segments when somebody first asks, of the hours about what is asked for or of every
// hour, and from then on kept: who only lands does not ask.
type summed struct {
	mu    sync.Mutex // several may ask while they view one state
	parts atomic.Pointer[[]summedPart]
}

// summedPart are the sums of a range of hours.
type summedPart struct {
	in   Hours
	sums hourSums
}

const (
	// mostParts are made at most: who asks for more wants every hour, and has read the
	// segments often enough.
	mostParts = 4
	// around is how many hours are summed up on either side of those that are asked for,
	// since their neighbours are asked for next.
	around = 100
	// longPart is how many hours are no part any more.
	longPart = 1 << 16
)

// sumsOf returns the sums of a range of hours.
func (s *State) sumsOf(r Hours) hourSums { return s.part(r).sums.within(r) }

// part returns sums that take in a range of hours.
func (s *State) part(r Hours) *summedPart {
	a := s.hours.all
	if part := a.find(r); part != nil {
		return part
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if part := a.find(r); part != nil {
		return part
	}
	var parts []summedPart
	if known := a.parts.Load(); known != nil {
		parts = slices.Clip(*known)
	}
	r = Hours{r.From - around, r.To + around}
	if len(parts) == mostParts || r.To-r.From > longPart {
		r, parts = everyHour, nil
	}
	parts = append(parts, summedPart{r, s.sumUp(r)})
	a.parts.Store(&parts)
	return &parts[len(parts)-1]
}

// find returns the part that takes in a range of hours, nil if there is none.
func (a *summed) find(r Hours) *summedPart {
	parts := a.parts.Load()
	if parts == nil {
		return nil
	}
	for i := range *parts {
		if part := &(*parts)[i]; part.in.has(r) {
			return part
		}
	}
	return nil
}

// sumUp sums up the rows of a range of hours.
func (s *State) sumUp(r Hours) hourSums {
	gone, room := s.hours.expired.within(r), 0
	if r == everyHour {
		room = ascending(s.segments) * 5 / 4 // entries follow
	}
	sums := append(make(hourSums, 0, len(gone)+room), gone...)
	return sums.with(r, s.segments...)
}

// add adds a segment that lies above all others. Nobody asks meanwhile.
func (a *summed) add(segment *Segment) {
	parts := a.parts.Load()
	if parts == nil {
		return
	}
	for i := range *parts {
		part := &(*parts)[i]
		part.sums = part.sums.with(part.in, segment)
	}
}

// hourSums are sums of rows by bucket-hour, ascending, their moments from position 0.
// They are made of many hours at once, so they hold no pointers, and what fewer ask for is
// kept apart: see holders.
type hourSums []Bucket

// ascending counts the hours of segments that come after all before them: most do.
func ascending(segments []*Segment) (n int) {
	var last int64
	for _, segment := range segments {
		for i := range segment.Buckets.Len() {
			if hour := segment.Buckets.Hour(i); n == 0 || hour > last {
				n, last = n+1, hour
			}
		}
	}
	return n
}

// find returns where an hour is, or would be put. It is looked for at guess first.
func (l hourSums) find(hour int64, guess int) (at int, known bool) {
	n := len(l)
	if guess < n && l[guess].Hour == hour {
		return guess, true
	}
	if n == 0 || l[n-1].Hour < hour { // most rows are of now
		return n, false
	}
	if i := hour - l[0].Hour; 0 <= i && i < int64(n) && l[i].Hour == hour { // and most streams have rows of every hour
		return int(i), true
	}
	return slices.BinarySearchFunc(l, hour, func(b Bucket, hour int64) int { return cmp.Compare(b.Hour, hour) })
}

// within returns the sums of a range of hours.
func (l hourSums) within(r Hours) hourSums {
	from, _ := l.find(r.From, 0)
	to := from // most ranges are short
	for to < len(l) && l[to].Hour < r.To {
		to++
	}
	return l[from:to]
}

// with adds the rows in a range of hours of segments. What comes after rows of later hours is put in by one
// pass: a file may be of very many hours.
func (l hourSums) with(r Hours, segments ...*Segment) hourSums {
	var late hourSums
	for _, segment := range segments {
		at := -1 // hours that follow one another in a segment most often do so here
		for b := range segment.Buckets.within(r) {
			b = b.at(segment.Base)
			var known bool
			switch at, known = l.find(b.Hour, at+1); {
			case known:
				l[at].join(b)
			case at == len(l):
				l = append(l, b)
			default:
				late = append(late, b)
			}
		}
	}
	if len(late) == 0 {
		return l
	}
	slices.SortFunc(late, func(a, b Bucket) int { return cmp.Compare(a.Hour, b.Hour) })
	return l.merged(late)
}

// merged puts sums, ascending, among those of other hours. Several may be of one hour.
func (l hourSums) merged(late hourSums) hourSums {
	both := make(hourSums, 0, len(l)+len(late))
	put := func(b Bucket) {
		if n := len(both); n > 0 && both[n-1].Hour == b.Hour {
			both[n-1].join(b)
			return
		}
		both = append(both, b)
	}
	for _, b := range l {
		for len(late) > 0 && late[0].Hour < b.Hour {
			put(late[0])
			late = late[1:]
		}
		put(b)
	}
	for _, b := range late {
		put(b)
	}
	return both
}

// add adds the rows of a segment, which lies above all others.
func (h *hours) add(segment *Segment) {
	h.all.add(segment)
	h.held.add(segment)
}

// expire counts the rows of the oldest segment as expired.
func (h *hours) expire(segment *Segment) {
	h.expired = h.expired.with(everyHour, segment)
	h.held.expire(segment)
}
