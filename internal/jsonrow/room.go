package jsonrow

import "fmt"

// DefaultHeld is what a reader holds of a file at once at most where nothing else is
// said, in bytes.
const DefaultHeld = 2 << 30

// Room bounds what reading a typed file may take, in bytes. A file says itself how large
// its parts are without their compression, so a reader asks before it makes room for
// them. The zero value is DefaultHeld.
type Room struct {
	Held     int64 // of parts at once, as they are stored and unpacked; 0 means DefaultHeld
	Unpacked int64 // of all parts in all, unpacked; 0 means any number
	// Ask, if not nil, is told before so many bytes are held at once. Its error ends the
	// reading.
	Ask func(held int64) error
}

func (r Room) held() int64 {
	if r.Held == 0 {
		return DefaultHeld
	}
	return r.Held
}

// Hold says whether so many bytes may be held at once: else ErrLarge, or Ask's error.
func (r Room) Hold(bytes int64) error {
	if most := r.held(); bytes > most {
		return fmt.Errorf("%w: what has to be held of it at once takes more than %d bytes (write it in smaller pages or batches)", ErrLarge, most)
	}
	if r.Ask == nil {
		return nil
	}
	return r.Ask(bytes)
}

// Unpack says whether so many bytes may be unpacked in all: else ErrLarge.
func (r Room) Unpack(bytes int64) error {
	if r.Unpacked > 0 && bytes > r.Unpacked {
		return fmt.Errorf("%w: it has more than %d bytes without its compression", ErrLarge, r.Unpacked)
	}
	return nil
}

// Part returns how many bytes one part may have, unpacked, of those that may have so
// many at most.
func (r Room) Part(most int64) int64 {
	if r.Unpacked > 0 {
		most = min(most, r.Unpacked)
	}
	return min(most, r.held())
}
