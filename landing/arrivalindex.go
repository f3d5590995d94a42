package landing

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"

	"strandline/internal/digest"
)

// arrivalIndex finds arrivals of a list that only grows, by a number that is made of what is
// looked for. It is made of the list as far as it goes when somebody looks: who opens a
// stream, and does not land, needs it of what came last at most.
type arrivalIndex struct {
	mu     sync.Mutex // several may look while they view one state
	newest []int32    // by the place of a number: the newest arrival with such a number, counted from 1
	all    []indexedArrival
}

type indexedArrival struct {
	number uint64
	before int32 // the arrival before it whose number has the same place, counted from 1; 0 if there is none
}

// find returns the newest of arrivals whose number, by of, is that one and that is right: others
// may have the same. The list must begin with what find was given before, and of be the same.
func (x *arrivalIndex) find(arrivals []Arrival, of func(*Arrival) uint64, number uint64, right func(*Arrival) bool) (a *Arrival, found bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.growTo(arrivals, of)
	if len(arrivals) == 0 {
		return nil, false
	}
	for nth := x.newest[x.place(number)]; nth > 0; nth = x.all[nth-1].before {
		if a := &arrivals[nth-1]; x.all[nth-1].number == number && right(a) {
			return a, true
		}
	}
	return nil, false
}

// growTo adds the arrivals that have come to the list.
func (x *arrivalIndex) growTo(arrivals []Arrival, of func(*Arrival) uint64) {
	before := len(x.all)
	if before == len(arrivals) {
		return
	}
	x.all = slices.Grow(x.all, len(arrivals)-before)
	for i := range arrivals[before:] {
		x.all = append(x.all, indexedArrival{number: of(&arrivals[before+i])})
	}
	if len(x.all) > len(x.newest) {
		x.newest, before = make([]int32, placesFor(len(x.all))), 0
	}
	for nth := before + 1; nth <= len(x.all); nth++ {
		x.put(nth)
	}
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

// put makes the nth arrival, counted from 1, the newest of its place.
func (x *arrivalIndex) put(nth int) {
	a := &x.all[nth-1]
	newest := &x.newest[x.place(a.number)]
	a.before, *newest = *newest, int32(nth)
}

// number is that of an identity.
func (id Identity) number() uint64 { return binary.LittleEndian.Uint64(id.Digest[:]) }

var nameSeed = maphash.MakeSeed()

// numberOfName is that of an arrival's name.
func numberOfName(name string) uint64 { return maphash.String(nameSeed, name) }

// setArrivals makes arrivals those that are in no archive.
func (s *State) setArrivals(arrivals []Arrival) {
	s.arrivals, s.versions = arrivals, map[digest.Sum128]bool{}
	s.byIdentity, s.byName, s.bySize = &arrivalIndex{}, &arrivalIndex{}, &arrivalIndex{}
	for i := range arrivals {
		s.knowVersion(&arrivals[i])
	}
}

// addArrival adds an arrival that is in no archive.
func (s *State) addArrival(a Arrival) {
	s.arrivals = append(s.arrivals, a)
	s.knowVersion(&a)
}

func (s *State) knowVersion(a *Arrival) {
	if a.Version != "" {
		s.versions[versionOf(a.Name, a.Version)] = true
	}
}

// landedAs returns the arrival of an identity, if it is in no archive.
func (s *State) landedAs(id Identity) (a *Arrival, landed bool) {
	return s.byIdentity.find(s.arrivals, func(a *Arrival) uint64 { return a.number() }, id.number(), func(a *Arrival) bool { return a.Identity == id })
}

// cameAs tells whether something that is in no archive came under a name.
func (s *State) cameAs(name string) bool {
	_, came := s.byName.find(s.arrivals, func(a *Arrival) uint64 { return numberOfName(a.Name) }, numberOfName(name), func(a *Arrival) bool { return a.Name == name })
	return came
}

// isOfSize tells whether something that is in no archive has that many bytes.
func (s *State) isOfSize(bytes int64) bool {
	_, is := s.bySize.find(s.arrivals, func(a *Arrival) uint64 { return uint64(a.Size) }, uint64(bytes), func(a *Arrival) bool { return a.Size == bytes })
	return is
}
