package landing

import (
	"iter"

	"strandline/internal/digest"
)

// landedKey is a Key as the state holds it, of which there may be a million: without
// pointers, its reasons apart, and known by half of its digest, which is enough.
type landedKey struct {
	short   digest.Sum128
	body    digest.Hash
	from    Position
	until   int64 // in µs since 1970
	rows    uint32
	rejects uint32
}

// over tells whether a key's time was over when an hour began.
func (l *landedKey) over(hour int64) bool { return floorHour(l.until) < hour }

// keyList is keys in the order they landed, and finds each: 72 bytes for a key, and 5 to
// 11 to find it. They lie in pages, so that a list that grows moves none.
type keyList struct {
	pages  [][]landedKey
	len    int
	places []int32 // by the last bits of a digest, or after that: a key's number from 1
}

const keyPage = 1 << 10 // keys

func newKeyList() keyList { return keyList{places: make([]int32, placesOfKeys(0))} }

func (l *keyList) at(i int) *landedKey { return &l.pages[i/keyPage][i%keyPage] }

// all yields the keys.
func (l *keyList) all() iter.Seq[*landedKey] {
	return func(yield func(*landedKey) bool) {
		for i := range l.len {
			if !yield(l.at(i)) {
				return
			}
		}
	}
}

// find returns a key, nil if it is not there.
func (l *keyList) find(short digest.Sum128) *landedKey {
	if nth := l.places[l.place(short)]; nth != 0 {
		return l.at(int(nth) - 1)
	}
	return nil
}

// place returns where the key's number is, or would be.
func (l *keyList) place(short digest.Sum128) uint64 {
	mask := uint64(len(l.places) - 1)
	at := short.Lo & mask
	for l.places[at] != 0 && l.at(int(l.places[at])-1).short != short {
		at = (at + 1) & mask
	}
	return at
}

// add adds a key that is not there.
func (l *keyList) add(k landedKey) {
	if l.len == len(l.pages)*keyPage {
		l.pages = append(l.pages, make([]landedKey, 0, min(keyPage, max(16, l.len))))
	}
	last := &l.pages[len(l.pages)-1]
	*last = append(*last, k)
	if l.len++; placesOfKeys(l.len) > len(l.places) {
		l.index(placesOfKeys(l.len))
		return
	}
	l.places[l.place(k.short)] = int32(l.len)
}

// index finds room anew for the numbers of all keys.
func (l *keyList) index(places int) {
	l.places = make([]int32, places)
	for i := range l.len {
		l.places[l.place(l.at(i).short)] = int32(i + 1)
	}
}

// keep forgets all keys but some, which stay in their order.
func (l *keyList) keep(some func(*landedKey) bool) {
	kept := 0
	for i := range l.len {
		if k := l.at(i); some(k) {
			*l.at(kept) = *k
			kept++
		}
	}
	l.len = kept
	full := (kept + keyPage - 1) / keyPage
	clear(l.pages[full:])
	if l.pages = l.pages[:full]; full > 0 {
		l.pages[full-1] = l.pages[full-1][:kept-(full-1)*keyPage]
	}
	l.index(placesOfKeys(kept))
}

// placesOfKeys is how many places so many keys have: a power of two, of which they take
// three fourths at most.
func placesOfKeys(n int) int {
	places := 16
	for 4*n > 3*places {
		places *= 2
	}
	return places
}
