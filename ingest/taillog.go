package ingest

import (
	"os"
	"slices"
	"sort"
)

// tailLog is a file that is looked at, as long as it was then.
type tailLog struct {
	file    *os.File
	name    string
	version fileVersion
	begins  tailHead
	read    []tailPlace // places that were read
}

// shared returns up to which of a log's places, ascending, a file has its bytes, 0 if
// none, and the place after that, 0 if none.
func (l *tailLog) shared(places []tailPlace) (to, next int64, err error) {
	n := sort.Search(len(places), func(i int) bool {
		has, problem := l.has(places[i])
		if problem != nil {
			err = problem
		}
		return !has
	})
	if n > 0 {
		to = places[n-1].at
	}
	if n < len(places) {
		next = places[n].at
	}
	return to, next, err
}

// has tells whether a file has a place.
func (l *tailLog) has(p tailPlace) (bool, error) {
	if p.at > l.version.size {
		return false, nil
	}
	mine, err := l.place(p.at)
	return err == nil && mine == p, err
}

// place is placeAt, read once.
func (l *tailLog) place(at int64) (tailPlace, error) {
	if i := slices.IndexFunc(l.read, func(p tailPlace) bool { return p.at == at }); i >= 0 {
		return l.read[i], nil
	}
	p, err := placeAt(l.file, at)
	if err == nil {
		l.read = append(l.read, p)
	}
	return p, err
}
