package landing

import (
	"fmt"
	"slices"
	"strings"

	"strandline/internal/packed"
)

// mostSources is how many of an arrival's sources are kept by name. A commit of posts may
// have a thousand, and the state holds many arrivals.
const mostSources = 3

// sources are those of an intake, in the order in which they were seen.
type sources struct {
	first []string
	seen  map[string]bool
}

func (s *sources) see(source string) {
	if s.seen[source] {
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[source] = true
	if len(s.first) < mostSources {
		s.first = append(s.first, source)
	}
}

func (s *sources) more() int64 { return int64(len(s.seen) - len(s.first)) }

// CalledBy is what people call the arrival by: the sources that its rows have or, where
// they are called as it is or it is not known, its name.
func (a Arrival) CalledBy() string {
	if len(a.Sources) == 0 {
		return a.Name
	}
	text := strings.Join(a.Sources, ", ")
	if a.MoreSources > 0 {
		text += fmt.Sprintf(" and %d more", a.MoreSources)
	}
	return text
}

// packSources writes the sources of those arrivals that have such, and nothing where none
// has any.
func packSources(w *packed.Writer, arrivals []Arrival) {
	n := uint64(0)
	for _, a := range arrivals {
		if a.hasSources() {
			n++
		}
	}
	if n == 0 {
		return
	}
	w.Uint(n)
	for i, a := range arrivals {
		if !a.hasSources() {
			continue
		}
		w.Uint(uint64(i))
		w.Uint(uint64(len(a.Sources)))
		for _, source := range a.Sources {
			w.Text(source)
		}
		w.Int(a.MoreSources)
	}
}

// unpackSources reads what packSources wrote of arrivals.
func unpackSources(r *packed.Reader, arrivals []Arrival) {
	for range r.Count(3) {
		i := r.Choice(len(arrivals))
		sources := room[string](r, 1)
		for k := range sources {
			sources[k] = r.Text()
		}
		more := r.Int()
		if r.Err() != nil {
			return
		}
		arrivals[i].Sources, arrivals[i].MoreSources = sources, more
	}
}

func (a Arrival) hasSources() bool { return len(a.Sources) > 0 }

// storedSources are the sources of an arrival as checkpoints hold them.
type storedSources struct {
	First []string `json:"first"`
	More  int64    `json:"more,omitempty"`
}

// sourcesOf are those of the arrivals that have such, by their place.
func sourcesOf(arrivals []Arrival) map[int]storedSources {
	all := map[int]storedSources{}
	for i, a := range arrivals {
		if a.hasSources() {
			all[i] = storedSources{a.Sources, a.MoreSources}
		}
	}
	return all
}

func withoutSources(arrivals []Arrival) []Arrival {
	bare := slices.Clone(arrivals)
	for i := range bare {
		bare[i].Sources, bare[i].MoreSources = nil, 0
	}
	return bare
}
