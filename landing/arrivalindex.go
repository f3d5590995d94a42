package landing

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"strandline/internal/digest"
)

// arrivalIndex finds arrivals by a number that is made of what is looked for. It is
// small and quick to make: who opens a stream makes it of all arrivals of the state.
type arrivalIndex struct {
	newest []int32 // by the place of a number: the newest arrival with such a number, counted from 1
	all    []indexedArrival
}

type indexedArrival struct {
	number uint64
	before int32 // the arrival before it whose number has the same place, counted from 1; 0 if there is none
}

// newArrivalIndex makes an index with room for size arrivals; it grows beyond that.
func newArrivalIndex(size int) arrivalIndex {
	return arrivalIndex{make([]int32, placesFor(size)), make([]indexedArrival, 0, size)}
}

// placesFor is how many places an index of n arrivals has: a power of two, and as many as
// arrivals at least.
func placesFor(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }

// place is where a number is looked for. Numbers need not be random.
func (x *arrivalIndex) place(number uint64) int {
	const spread = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, which is odd
	high, _ := bits.Mul64(number*spread, uint64(len(x.newest)))
	return int(high)
}

// add adds the next arrival.
func (x *arrivalIndex) add(number uint64) {
	x.all = append(x.all, indexedArrival{number: number})
	if len(x.all) <= len(x.newest) {
		x.put(len(x.all))
		return
	}
	x.newest = make([]int32, placesFor(len(x.all)))
	for nth := range x.all {
		x.put(nth + 1)
	}
}

// put makes the nth arrival, counted from 1, the newest of its place.
func (x *arrivalIndex) put(nth int) {
	a := &x.all[nth-1]
	newest := &x.newest[x.place(a.number)]
	a.before, *newest = *newest, int32(nth)
}

// find returns the newest arrival of a number that is the right one: others may
// have the same number.
func (x *arrivalIndex) find(number uint64, right func(at int) bool) (at int, found bool) {
	for nth := x.newest[x.place(number)]; nth > 0; nth = x.all[nth-1].before {
		at := int(nth - 1)
		if x.all[at].number == number && right(at) {
			return at, true
		}
	}
	return 0, false
}

// has tells whether there is an arrival of a number.
func (x *arrivalIndex) has(number uint64) bool {
	_, found := x.find(number, func(int) bool { return true })
	return found
}

// number is that of an identity.
func (id Identity) number() uint64 { return binary.LittleEndian.Uint64(id.Digest[:]) }

var nameSeed = maphash.MakeSeed()

// numberOfName is that of an arrival's name.
func numberOfName(name string) uint64 { return maphash.String(nameSeed, name) }

// setArrivals makes arrivals those that are in no archive.
func (s *State) setArrivals(arrivals []Arrival) {
	n := len(arrivals)
	s.arrivals, s.versions = arrivals, map[digest.Sum128]int{}
	s.byIdentity, s.byName, s.bySize = newArrivalIndex(n), newArrivalIndex(n), newArrivalIndex(n)
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
		s.versions[versionOf(a.Name, a.Version)] = len(s.byIdentity.all)
	}
	s.byIdentity.add(a.number())
	s.byName.add(numberOfName(a.Name))
	s.bySize.add(uint64(a.Size))
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

// isOfSize tells whether something that is in no archive has that many bytes.
func (s *State) isOfSize(bytes int64) bool { return s.bySize.has(uint64(bytes)) }
