package landing

import (
	"fmt"
	"maps"
	"slices"

	"strandline/internal/digest"
	"strandline/internal/packed"
)

// claimed tells whether anything landed that claimed more than its content, which is
// packed after all else, so that checkpoints of other states stay as they were.
func (s *State) claimed() bool {
	for _, a := range s.arrivals {
		if a.Version != "" || len(a.Gaps) > 0 {
			return true
		}
	}
	return len(s.progress) > 0 || s.keys.hour != 0 || len(s.retried) > 0
}

func (s *State) packClaims(w *packed.Writer) {
	var traits packed.Writer
	packTraits(&traits, s.arrivals)
	w.Text(string(traits.Bytes))
	w.Uint(uint64(len(s.progress)))
	for _, source := range slices.Sorted(maps.Keys(s.progress)) {
		w.Text(source)
		w.Int(s.progress[source])
	}
	s.keys.pack(w)
	w.Uint(uint64(len(s.retried)))
	for _, id := range slices.Sorted(maps.Keys(s.retried)) {
		w.ID(id)
		w.Uint(uint64(len(s.retried[id])))
		for _, span := range s.retried[id] {
			w.Int(span.From)
			w.Int(span.To)
		}
	}
}

// unpackClaims reads what packClaims wrote, and the traits of arrivals.
func (s *State) unpackClaims(r *packed.Reader, arrivals []Arrival) error {
	if traits := packed.NewReader([]byte(r.Text())); traits.More() {
		unpackTraits(traits, arrivals)
		if err := traits.Done(); err != nil {
			return fmt.Errorf("versions and gaps of arrivals: %w", err)
		}
	}
	for range r.Count(2) {
		source := r.Text()
		s.progress[source] = r.Int()
	}
	if err := s.keys.unpack(r); err != nil {
		return err
	}
	return s.unpackRetried(r)
}

func (s *State) unpackRetried(r *packed.Reader) error {
	var all []Retried
	for range r.Count(3) {
		one := Retried{File: r.ID(), Records: room[Span](r, 2)}
		for i := range one.Records {
			one.Records[i] = Span{From: r.Int(), To: r.Int()}
		}
		all = append(all, one)
	}
	if r.Err() != nil {
		return r.Err()
	}
	s.foldRetried(all)
	return checkRetried(all)
}

// leastKey is the least bytes that a packed key takes.
const leastKey = 16 + 32 + 5

func (k *keyring) pack(w *packed.Writer) {
	w.Int(k.hour)
	w.Uint(uint64(len(k.list)))
	from, until := Position(0), int64(0)
	for _, l := range k.list {
		w.Sum(l.short)
		w.Hash(l.body)
		w.Int(int64(l.from - from))
		w.Int(l.rows)
		w.Int(l.rejects)
		w.Int(l.until - until)
		from, until = l.from, l.until
		reasons := k.reasons[l.short]
		w.Uint(uint64(len(reasons)))
		for _, reason := range reasons {
			w.Int(reason.Line)
			w.Text(reason.Text)
		}
	}
}

func (k *keyring) unpack(r *packed.Reader) error {
	*k = newKeyring()
	k.hour = r.Int()
	n := r.Count(leastKey)
	k.list, k.at = make([]landedKey, 0, n), make(map[digest.Sum128]int32, n)
	from, until := Position(0), int64(0)
	for range n {
		l := landedKey{
			short: r.Sum(), body: r.Hash(), from: from + Position(r.Int()), rows: r.Int(), rejects: r.Int(), until: until + r.Int(),
		}
		from, until = l.from, l.until
		reasons := room[Reason](r, 2)
		for i := range reasons {
			reasons[i] = Reason{Line: r.Int(), Text: r.Text()}
		}
		k.add(l, reasons)
	}
	if r.Err() == nil && len(k.at) != len(k.list) {
		return fmt.Errorf("%d idempotency keys are %d", len(k.list), len(k.at))
	}
	return r.Err()
}
