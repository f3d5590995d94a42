package landing

import (
	"errors"
	"fmt"
	"maps"
	"slices"

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
	packTraits(&traits, withoutSources(s.arrivals)) // which are in stored
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
	w.Uint(uint64(k.list.len))
	from, until := Position(0), int64(0)
	for l := range k.list.all() {
		w.Sum(l.short)
		w.Hash(l.body)
		w.Int(int64(l.from - from))
		w.Int(int64(l.rows))
		w.Int(int64(l.rejects))
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
	from, until := Position(0), int64(0)
	for range r.Count(leastKey) {
		l := landedKey{short: r.Sum(), body: r.Hash(), from: from + Position(r.Int())}
		rows, rejects := r.Int(), r.Int()
		l.rows, l.rejects, l.until = uint32(rows), uint32(rejects), until+r.Int()
		from, until = l.from, l.until
		reasons := room[Reason](r, 2)
		for i := range reasons {
			reasons[i] = Reason{Line: r.Int(), Text: r.Text()}
		}
		switch {
		case r.Err() != nil:
			return r.Err()
		case int64(l.rows) != rows || int64(l.rejects) != rejects:
			return fmt.Errorf("an idempotency key has %d rows and %d rejects", rows, rejects)
		case k.list.find(l.short) != nil:
			return errors.New("an idempotency key is there twice")
		}
		k.add(l, reasons)
	}
	return r.Err()
}
