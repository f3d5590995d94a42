package window

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// TableHead is the head of a table, which is settled up to a watermark: see Plan.Settled.
func TableHead(table *manifests.Snapshot, settled Watermark) Head {
	h := tableHead{version: table.Version, settled: settled}
	layouts := map[*datafile.Column]digest.Hash{}
	for p := range table.Each() {
		if p.Rows() == 0 {
			continue // as if it had never been published
		}
		start, end := p.Interval()
		h.pieces = append(h.pieces, piece{span{start.UnixMicro(), end.UnixMicro()}, p.Rows(), p.RowDigest(), layoutOf(p.Columns(), layouts), p})
	}
	return h
}

// tableHead is a table by its published partitions that have rows, ascending.
type tableHead struct {
	version manifests.Version
	settled Watermark
	pieces  []piece
}

type piece struct {
	span
	rows   int64
	digest digest.Sum128
	layout digest.Hash // of the names and types of the columns

	published manifests.Published
}

// layoutOf digests columns: rows have the same digest whatever their columns are called.
// Partitions share them.
func layoutOf(columns []datafile.Column, known map[*datafile.Column]digest.Hash) digest.Hash {
	if len(columns) == 0 {
		return digest.Hash{}
	}
	if layout, is := known[&columns[0]]; is {
		return layout
	}
	var text []byte
	for _, c := range columns {
		text = append(strconv.AppendQuote(text, c.Name), ' ')
		text = append(append(text, c.Type.String()...), '\n')
	}
	layout := digest.Hash(sha256.Sum256(text))
	known[&columns[0]] = layout
	return layout
}

func (h tableHead) End() int64 { return int64(h.version) }

func (h tableHead) spans(within span) []span {
	pieces := h.within(within)
	spans := make([]span, len(pieces))
	for i, p := range pieces {
		spans[i] = p.span
	}
	return spans
}

func (tableHead) whole(s span) span { return s }

// within are the pieces that have a part in a span.
func (h tableHead) within(s span) []piece {
	if s.from >= s.to {
		return nil
	}
	from, _ := slices.BinarySearchFunc(h.pieces, s.from, func(p piece, at int64) int {
		if p.to <= at {
			return -1
		}
		return 1
	})
	to := from
	for to < len(h.pieces) && h.pieces[to].from < s.to {
		to++
	}
	return h.pieces[from:to]
}

func (h tableHead) sum(s span) (in landing.Input) {
	lines, rows := h.lines(nil, s)
	if in.Rows = rows; rows > 0 {
		in.Digest = sha256.Sum256(lines)
	}
	return in
}

// lines are one for each partition: "<start> <end> <rows> <digest> <layout>\n", instants in
// microseconds since 1970.
func (h tableHead) lines(lines []byte, of span) (all []byte, rows int64) {
	for _, p := range h.within(of) {
		rows += p.rows
		lines = append(strconv.AppendInt(lines, p.from, 10), ' ')
		lines = append(strconv.AppendInt(lines, p.to, 10), ' ')
		lines = append(strconv.AppendInt(lines, p.rows, 10), ' ')
		lines = append(p.digest.Append(lines), ' ')
		lines = append(append(lines, p.layout.String()...), '\n')
	}
	return lines, rows
}

// expired: a table has no rows that expire. What a version had that is not kept can't be
// read any more, but nothing is computed of that.
func (tableHead) expired(span) int64 { return 0 }

func (tableHead) mayEnd(int64) bool { return true }

// bears: of an older version nobody knows without reading older entries.
func (h tableHead) bears(upTo int64, read landing.Input, of span) bool {
	return manifests.Version(upTo) < h.version || read.Digest == h.sum(of).Digest
}

// weigh: a snapshot is read as it is.
func (h tableHead) weigh(int64) weigher {
	return &tableWeigher{head: h, added: map[int64]bool{}}
}

type tableWeigher struct {
	head  tableHead
	added map[int64]bool // partitions, by their start
	sum   landing.Weight
}

func (w *tableWeigher) add(s span) (alone landing.Weight) {
	for _, p := range w.head.within(s) {
		for _, f := range p.published.Files() {
			alone.Segments++
			alone.Bytes += f.Bytes
			if !w.added[p.from] {
				w.sum.Segments++
				w.sum.Bytes += f.Bytes
			}
		}
		w.added[p.from] = true
	}
	return alone
}

func (w *tableWeigher) all() landing.Weight { return w.sum }

func (tableHead) brought(_ span, from, upTo int64) landing.Brought {
	return landing.Brought{From: landing.Position(from), To: landing.Position(upTo)}
}

// grown: what an older version had is not known here.
func (h tableHead) grown(of span, _ int64) (rows int64, atMost bool) { return h.sum(of).Rows, true }

func (h tableHead) watermark(time.Time) Watermark { return h.settled }

// late: what comes late for a table's partitions is for its own job to judge.
func (h tableHead) late(span, int64) (landing.Late, bool) { return landing.Late{}, true }
