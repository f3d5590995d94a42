package landing

import (
	"encoding/binary"
	"hash/maphash"

	"strandline/internal/digest"
)

// arrivalIndex finds arrivals by a number that is made of what is looked for. It is
// small and quick to make: who opens a stream makes it of all arrivals of the state.
type arrivalIndex struct {
	newest map[uint64]int // of the arrivals of a number
	before []int          // for each arrival: the one of the same number before it, or -1
}

func newArrivalIndex(size int) arrivalIndex {
	return arrivalIndex{newest: make(map[uint64]int, size), before: make([]int, 0, size)}
}

// add adds the next arrival.
func (x *arrivalIndex) add(number uint64) {
	before, some := x.newest[number]
	if !some {
		before = -1
	}
	x.newest[number] = len(x.before)
	x.before = append(x.before, before)
}

// find returns the newest arrival of a number that is the right one: others may
// have the same number.
func (x *arrivalIndex) find(number uint64, right func(at int) bool) (at int, found bool) {
	at, found = x.newest[number]
	for found && !right(at) {
		at = x.before[at]
		found = at >= 0
	}
	return at, found
}

// number is that of an identity.
func (id Identity) number() uint64 { return binary.LittleEndian.Uint64(id.Digest[:]) }

var nameSeed = maphash.MakeSeed()

// numberOfName is that of an arrival's name.
func numberOfName(name string) uint64 { return maphash.String(nameSeed, name) }

// setArrivals makes arrivals those that are in no archive.
func (s *State) setArrivals(arrivals []Arrival) {
	s.arrivals = arrivals
	s.byIdentity, s.byName = newArrivalIndex(len(arrivals)), newArrivalIndex(len(arrivals))
	s.versions, s.sizes = map[digest.Sum128]int{}, make(map[int64]bool, len(arrivals))
	for i := range arrivals {
		s.index(&arrivals[i])
	}
}

// addArrival adds an arrival that is in no archive.
func (s *State) addArrival(a Arrival) {
	s.arrivals = append(s.arrivals, a)
	s.index(&a)
}

// index makes the next arrival known.
func (s *State) index(a *Arrival) {
	if a.Version != "" {
		s.versions[versionOf(a.Name, a.Version)] = len(s.byIdentity.before)
	}
	s.byIdentity.add(a.number())
	s.byName.add(numberOfName(a.Name))
	s.sizes[a.Size] = true
}

// landedAs returns the arrival of an identity, if it is in no archive.
func (s *State) landedAs(id Identity) (a *Arrival, landed bool) {
	i, landed := s.byIdentity.find(id.number(), func(at int) bool { return s.arrivals[at].Identity == id })
	if !landed {
		return nil, false
	}
	return &s.arrivals[i], true
}

// cameAs tells whether something that is in no archive came under a name.
func (s *State) cameAs(name string) bool {
	_, came := s.byName.find(numberOfName(name), func(at int) bool { return s.arrivals[at].Name == name })
	return came
}
