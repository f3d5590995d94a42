package audit

import (
	"math"

	"strandline/internal/log"
	"strandline/landing"
)

// finding makes a fault of what was found in a room's log.
func finding(room Room, f log.Finding) Fault {
	fault := Fault{Name: Name(f.Fault), Room: room, Key: f.Key, Seen: f.Err.Error()}
	switch {
	case f.Last == math.MaxUint64:
		fault.Entries = &Span{From: int64(f.First)}
	case f.First > 0:
		fault.Entries = &Span{int64(f.First), int64(f.Last) + 1}
	}
	return fault
}

// placing tells which positions the faults of a landing log hide: those between
// the sound arrivals around them.
type placing struct {
	tell    func(Fault)
	next    landing.Position // after the last sound arrival
	waiting []Fault          // for the next one
}

func (p *placing) fault(f Fault) {
	if f.Entries == nil || f.Name == Name(log.UnfinishedTrim) || f.Name == Name(log.MissingTrim) {
		p.tell(f)
		return
	}
	p.waiting = append(p.waiting, f)
}

// landed takes in the positions of an arrival that is sound.
func (p *placing) landed(a landing.Arrival) {
	p.flush(int64(a.From))
	p.next = a.To
}

// flush tells the waiting faults, which hide positions up to one at most; 0 if
// that is not known.
func (p *placing) flush(to int64) {
	for _, f := range p.waiting {
		if to == 0 || to > int64(p.next) {
			f.Positions = &Span{int64(p.next), to}
		}
		p.tell(f)
	}
	p.waiting = nil
}
