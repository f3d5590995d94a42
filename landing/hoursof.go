package landing

import "slices"

// hoursOf returns the hours of segments, ascending by Base, and of the rows that
// have expired. It makes all of them at once, which a checkpoint of many needs.
func hoursOf(segments []*Segment, expired []Bucket) hours {
	known := knownHours(segments, expired)
	if len(known) == 0 {
		return nil
	}
	many, l := make([]hour, len(known)), make(hours, len(known))
	for i, at := range known {
		many[i].all.Hour = at
		l[i] = &many[i]
	}
	at := -1
	for _, b := range expired {
		at, _ = known.find(b.Hour, at+1)
		many[at].all, many[at].expired = b, &b
	}
	places := known.places(segments)
	makeRoom(many, places)
	for _, segment := range segments {
		for _, b := range segment.Buckets {
			h := &many[places[0]]
			h.all.join(b.at(segment.Base))
			h.segments = append(h.segments, segment)
			places = places[1:]
		}
	}
	return l
}

// makeRoom gives each hour room for the segments that hold it, of which places has
// one for each.
func makeRoom(many []hour, places []int32) {
	holders := make([]int32, len(many))
	for _, at := range places {
		holders[at]++
	}
	room := make([]*Segment, len(places))
	for i, n := range holders {
		many[i].segments, room = room[:0:n], room[n:]
	}
}

// hourList lists hours, ascending, each once.
type hourList []int64

// knownHours lists the hours that there are.
func knownHours(segments []*Segment, expired []Bucket) hourList {
	many := len(expired)
	for _, segment := range segments {
		many += len(segment.Buckets)
	}
	known := make(hourList, 0, many)
	var late []int64 // of rows that came after rows of later hours
	note := func(buckets []Bucket) {
		at := -1
		for _, b := range buckets {
			if n := len(known); n == 0 || known[n-1] < b.Hour {
				known = append(known, b.Hour)
				continue
			}
			var is bool
			if at, is = known.find(b.Hour, at+1); !is {
				late = append(late, b.Hour)
			}
		}
	}
	note(expired)
	for _, segment := range segments {
		note(segment.Buckets)
	}
	if len(late) == 0 {
		return known
	}
	known = append(known, late...)
	slices.Sort(known)
	return slices.Compact(known)
}

// places tells of all hours of segments, one segment after another, where they are.
func (l hourList) places(segments []*Segment) []int32 {
	places := make([]int32, 0, len(l))
	for _, segment := range segments {
		at := -1 // hours that follow one another in a segment most often do so here
		for _, b := range segment.Buckets {
			at, _ = l.find(b.Hour, at+1)
			places = append(places, int32(at))
		}
	}
	return places
}

// find returns where an hour is, or would be put. It is looked for at guess first.
func (l hourList) find(hour int64, guess int) (at int, found bool) {
	if guess < len(l) && l[guess] == hour {
		return guess, true
	}
	return slices.BinarySearch(l, hour)
}
