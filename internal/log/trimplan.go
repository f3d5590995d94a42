package log

import (
	"maps"
	"slices"
	"time"

	"strandline/internal/objstore"
)

// Keep is what a trim leaves.
type Keep struct {
	// From is the oldest entry whose state stays readable. Opening the log needs
	// the two newest checkpoints and what follows the older of them, and that
	// stays whatever From says.
	From uint64
	// Grace is how old an object must be, by the store's clock, to be removed. It
	// spares slow readers and writers trouble; they are safe without it. Zero
	// removes what is no longer needed at once.
	Grace time.Duration
}

func (k Keep) allows(o objstore.Object, now time.Time) bool {
	return k.Grace <= 0 || o.OlderThan(now.Add(-k.Grace))
}

// Trim is what a trim removes, or has removed.
type Trim struct {
	Oldest      uint64   // the oldest entry that is the log's afterwards
	Entries     []uint64 // ascending
	Checkpoints []uint64 // ascending
	Bytes       int64    // of both

	sizes   [2][]int64 // of the checkpoints, and of the entries
	records []uint64   // of older trims that need no memory any more
	next    *trimRecord
	anchor  uint64 // the checkpoint that the oldest state is told from; 0: entry 1
}

// first is the trim as far as it was carried out: that many checkpoints, and entries.
func (t Trim) first(checkpoints, entries int) Trim {
	t.Checkpoints, t.Entries, t.Bytes = t.Checkpoints[:checkpoints], t.Entries[:entries], 0
	for i, n := range []int{checkpoints, entries} {
		t.sizes[i] = t.sizes[i][:n]
		for _, size := range t.sizes[i] {
			t.Bytes += size
		}
	}
	return t
}

// Empty tells that there is nothing to remove.
func (t Trim) Empty() bool { return len(t.Entries)+len(t.Checkpoints) == 0 }

const (
	// sparse and share say how far apart checkpoints may lie: that many intervals of
	// a small state, which is as far as those of a large one lie (see interval), or
	// that share of how far back it is, whichever is more. So their number
	// grows with the logarithm of the log's length, and a state that is n entries
	// back is told from at most n/share entries.
	sparse = 10
	share  = 20
	// recordsFor is for how long trims know of each other, and carryFor how soon a
	// trim gives up removing checkpoints, by its own clock. The first is far longer, so
	// no trim counts on a checkpoint that one before it is yet to remove.
	recordsFor = 7 * 24 * time.Hour
	carryFor   = time.Hour
)

// holdings is what a log holds that a trim may concern.
type holdings struct {
	every       uint64 // entries between two checkpoints of a small state
	now         time.Time
	checkpoints []object
	trims       []past
}

// oldest is the oldest entry that is the log's.
func (h holdings) oldest() uint64 {
	if len(h.trims) == 0 {
		return 1
	}
	return h.trims[len(h.trims)-1].Oldest
}

// lasting lists the checkpoints that no trim removes, ascending.
func (h holdings) lasting() []object {
	gone := map[uint64]bool{}
	for _, t := range h.trims {
		for _, n := range t.Checkpoints {
			gone[n] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(h.checkpoints), func(c object) bool { return gone[c.number] || c.number < h.oldest() })
}

// base is the checkpoint below which no entry is needed, or false if all are.
func (h holdings) base(keep Keep) (uint64, bool) {
	lasting := h.lasting()
	for i := len(lasting) - 2; i >= 0; i-- {
		if lasting[i].number <= keep.From {
			return lasting[i].number, true
		}
	}
	return 0, false
}

// plan says what to remove, of the checkpoints and of the entries below the
// base. It is pure.
//
// Entries go in ascending order up to the first that is too young, so that what
// is left has no gap. A checkpoint's entry stays as long as it does.
func (h holdings) plan(keep Keep, entries []object) Trim {
	t := Trim{Oldest: h.oldest()}
	if base, ok := h.base(keep); ok {
		t.Oldest = max(t.Oldest, h.firstYoung(keep, base, h.checkpoints, entries))
	}
	for _, e := range entries {
		if e.number >= t.Oldest || !keep.allows(e.Object, h.now) {
			break
		}
		t.Entries = append(t.Entries, e.number)
		t.sizes[1] = append(t.sizes[1], e.Size)
	}
	stay := h.stay(keep, t.Oldest)
	for _, c := range h.checkpoints {
		if !stay[c.number] {
			t.Checkpoints = append(t.Checkpoints, c.number)
			t.sizes[0] = append(t.sizes[0], c.Size)
		}
	}
	if t.Oldest > 1 && len(stay) > 0 {
		t.anchor = slices.Min(slices.Collect(maps.Keys(stay)))
	}
	h.remember(&t)
	return t.first(len(t.Checkpoints), len(t.Entries))
}

// firstYoung is the number of the first object below end that must stay for its
// age, or end.
func (h holdings) firstYoung(keep Keep, end uint64, lists ...[]object) uint64 {
	for _, list := range lists {
		for _, o := range list {
			if o.number < end && !keep.allows(o.Object, h.now) {
				end = o.number
			}
		}
	}
	return end
}

// stay says which checkpoints to keep of those from oldest on.
func (h holdings) stay(keep Keep, oldest uint64) map[uint64]bool {
	lasting := slices.DeleteFunc(h.lasting(), func(c object) bool { return c.number < oldest })
	stay := map[uint64]bool{}
	var last uint64 // the newest that is to stay; 0 is as good as a checkpoint while entry 1 is there
	for i, c := range lasting {
		needed := i >= len(lasting)-2 || i == 0 && oldest > 1 || !keep.allows(c.Object, h.now)
		if needed || lasting[i+1].number-last > h.apart(last) {
			stay[c.number] = true
			last = c.number
		}
	}
	return stay
}

// apart is how far from checkpoint n the next may lie.
func (h holdings) apart(n uint64) uint64 {
	newest := h.checkpoints[len(h.checkpoints)-1].number
	return max(sparse*h.every, (newest-n)/share)
}

// remember gives the plan a record of what no record says yet, and the old
// records to remove.
func (h holdings) remember(t *Trim) {
	lasting := map[uint64]bool{}
	for _, c := range h.lasting() {
		lasting[c.number] = true
	}
	added := slices.DeleteFunc(slices.Clone(t.Checkpoints), func(n uint64) bool { return !lasting[n] })
	number := uint64(1)
	if len(h.trims) > 0 {
		number = h.trims[len(h.trims)-1].Number + 1
	}
	if t.Oldest > h.oldest() || len(added) > 0 {
		t.next = &trimRecord{Format: Format, Number: number, Oldest: t.Oldest, Checkpoints: added, At: h.now.UTC()}
	}
	for i, past := range h.trims {
		if i < len(h.trims)-1 && past.OlderThan(h.now.Add(-recordsFor)) {
			t.records = append(t.records, past.Number)
		}
	}
}
