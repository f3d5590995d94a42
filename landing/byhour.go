package landing

import (
	"slices"

	"strandline/internal/digest"
)

// byHour sums up the rows of a block by bucket-hour as they come, and tells in which
// order they are in that of their hours.
type byHour struct {
	of      []int32         // the piece of each row
	pieces  []piece         // in the order in which they came up
	at      map[int64]int32 // where the piece of an hour is
	near    [64]int32       // where it most likely is, by the last bits of its hour
	digests digest.Many

	next  []int32 // scratch: of each piece, where its next row is to be
	order []int32 // scratch
}

func (h *byHour) rows() int { return len(h.of) }

// add takes in the next row, of an hour. Its canonical encoding goes to digests.
func (h *byHour) add(hour int64) {
	at := h.piece(hour)
	h.pieces[at].Rows++
	h.of = append(h.of, at)
}

func (h *byHour) piece(hour int64) int32 {
	near := &h.near[uint64(hour)%uint64(len(h.near))]
	if int(*near) < len(h.pieces) && h.pieces[*near].Hour == hour {
		return *near
	}
	at, known := h.at[hour]
	if !known {
		if h.at == nil {
			h.at = map[int64]int32{}
		}
		at = int32(len(h.pieces))
		h.at[hour], h.pieces = at, append(h.pieces, piece{Bucket: Bucket{Hour: hour}})
	}
	*near = at
	return at
}

// end returns the pieces, and the rows in their order. Both are valid until the next row
// is added.
func (h *byHour) end() ([]piece, []int32) {
	h.next, h.order = h.next[:0], slices.Grow(h.order[:0], len(h.of))[:len(h.of)]
	start := int32(0)
	for i := range h.pieces {
		h.pieces[i].from = start
		h.next = append(h.next, start)
		start += int32(h.pieces[i].Rows)
	}
	hashes := h.digests.Hashes()
	for row, at := range h.of {
		h.order[h.next[at]] = int32(row)
		h.next[at]++
		h.pieces[at].sum(hashes[row].Half(), int64(row))
	}
	pieces := h.pieces
	h.of, h.pieces = h.of[:0], h.pieces[:0]
	clear(h.at)
	return pieces, h.order
}
