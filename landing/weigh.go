package landing

// Weighing sums up what it takes to read ranges of bucket-hours. Segments are read
// whole, so what weighs are the bytes of their files, as they are stored.
type Weighing struct {
	Weight // of all that was added, a segment counted once

	state *State
	upTo  Position
	added map[*Segment]int // in which round last
	round int
}

// Weight is how much there is to read.
type Weight struct {
	Segments int   `json:"segments"`
	Bytes    int64 `json:"bytes"`
}

// Weigh begins a weighing of rows at positions below upTo.
func (s *State) Weigh(upTo Position) *Weighing {
	return &Weighing{state: s, upTo: upTo, added: map[*Segment]int{}}
}

// Add adds the rows in hours, and returns what they alone weigh.
func (w *Weighing) Add(hours Hours) (alone Weight) {
	w.round++
	for _, b := range w.state.sumsOf(hours) {
		for _, segment := range between(w.state.holding(b.Hour), 0, w.upTo) {
			before := w.added[segment]
			if before == w.round {
				continue
			}
			w.added[segment] = w.round
			alone.add(segment)
			if before == 0 {
				w.Weight.add(segment)
			}
		}
	}
	return alone
}

func (w *Weight) add(segment *Segment) {
	w.Segments++
	w.Bytes += segment.Bytes
}
