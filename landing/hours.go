package landing

import (
	"cmp"
	"slices"
	"sync"
)

// hours sums up the rows of each bucket-hour that has some, or had.
type hours struct {
	expired hourSums // of the rows that have expired
	all     *allHours
	held    *holders
}

func newHours(expired hourSums) hours { return hours{expired, &allHours{}, &holders{}} }

// allHours are the sums of all rows, those that have expired too. They are made of the
// segments when somebody first asks, and from then on kept: who only lands does not ask.
type allHours struct {
	once sync.Once // several may ask while they view one state
	made bool
	sums hourSums
}

// hourSums are sums of rows by bucket-hour, ascending, their moments from position 0.
// They are made of all hours at once, so they hold no pointers, and what fewer ask for is
// kept apart: see holders.
type hourSums []Bucket

// allHours sums up the rows of all hours.
func (s *State) allHours() hourSums {
	a := s.hours.all
	a.once.Do(func() {
		many := ascending(s.segments)
		all := slices.Grow(slices.Clone(s.hours.expired), many+many/4) // entries follow
		a.made, a.sums = true, all.with(s.segments...)
	})
	return a.sums
}

// add adds a segment that lies above all others, if there are sums yet.
func (a *allHours) add(segment *Segment) {
	if a.made {
		a.sums = a.sums.with(segment)
	}
}

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

// with adds the rows of segments. What comes after rows of later hours is put in by one
// pass: a file may be of very many hours.
func (l hourSums) with(segments ...*Segment) hourSums {
	var late hourSums
	for _, segment := range segments {
		at := -1 // hours that follow one another in a segment most often do so here
		for b := range segment.Buckets.All() {
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
	h.expired = h.expired.with(segment)
	h.held.expire(segment)
}
