package window

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"time"

	"strandline/landing"
	"strandline/manifests"
)

// Head is an input as it is now, by what its log says alone: no data file is read. It is
// all that planning knows of an input.
type Head interface {
	// End is up to where the input goes: a position, exclusive, or a version.
	End() int64
	// spans are where it has rows, ascending and apart, of the whole hours or partitions that
	// have a part in a span.
	spans(within span) []span
	// whole is the span of all hours or partitions that may have a part in a span.
	whole(span) span
	// sum digests the rows of all hours or partitions that have a part in the span.
	sum(span) landing.Input
	// lines appends to text what sum digests, and counts the rows.
	lines(text []byte, of span) ([]byte, int64)
	// expired counts those of them that have expired.
	expired(span) int64
	// weigh begins to weigh what there is to read up to a position.
	weigh(upTo int64) weigher
	// brought tells where in the input the rows of a span are that came since a position,
	// up to another.
	brought(of span, from, upTo int64) landing.Brought
	// grown bounds how many rows of a span came since a position.
	grown(of span, from int64) (rows int64, atMost bool)
	// bears tells whether what was read of a span up to a position is what the log has
	// there, as far as it can tell.
	bears(upTo int64, read landing.Input, of span) bool
	// mayEnd tells whether anything may have been read up to just there.
	mayEnd(upTo int64) bool
	// watermark is up to where all is expected to be there, at a time.
	watermark(now time.Time) Watermark
	// late sums up what came of a span since a position and after the watermark had passed
	// it; closed tells that it had by that position.
	late(of span, since int64) (late landing.Late, closed bool)
	// lateHours are the bucket-hours, ascending, that rows came late for.
	lateHours() []int64
}

// weigher sums up how much there is to read.
type weigher interface {
	// add adds what a span takes, and returns what it alone takes.
	add(span) landing.Weight
	// all is what all takes that was added, a file counted once.
	all() landing.Weight
}

// Heads are the inputs of a job as they are now, in the order of Job.Inputs.
type Heads []Head

// Ends is the position vector of all that there is.
func (j Job) Ends(heads Heads) manifests.Positions {
	ends := manifests.Positions{}
	for i, in := range j.Inputs {
		ends[in.At()] = heads[i].End()
	}
	return ends
}

// inputsOf sums up what a partition is computed from now, and what it is made of: nothing
// is said of the parts where that is one stream.
func (j Job) inputsOf(heads Heads, p span) (landing.Input, parts) {
	if j.sole() { // as most are, of which there may be very many
		return heads[0].sum(j.readsOf(j.Inputs[0], p)), nil
	}
	read := make(parts, len(heads))
	for i, in := range j.Inputs {
		read[i] = heads[i].sum(j.readsOf(in, p))
	}
	return read.joined(j.Inputs), read
}

// InputOf sums up what a partition is computed from of one input.
func (j Job) InputOf(in Input, head Head, p Partition) landing.Input {
	return head.sum(j.readsOf(in, p.span()))
}

// Join sums up what was read of each input, in their order, as receipts do.
func (j Job) Join(read []landing.Input) landing.Input {
	if j.sole() {
		return read[0]
	}
	return parts(read).joined(j.Inputs)
}

// parts are what was read of each of several inputs, in the order of Job.Inputs.
type parts []landing.Input

// joined digests one line for each input that has rows: "<name> <rows> <digest>\n", with
// the name that position vectors have for it. The inputs are in the order of these names.
func (ps parts) joined(inputs []Input) (in landing.Input) {
	var lines []byte
	for i, part := range ps {
		if part.Rows == 0 {
			continue
		}
		in.Rows += part.Rows
		lines = append(append(lines, inputs[i].At()...), ' ')
		lines = append(strconv.AppendInt(lines, part.Rows, 10), ' ')
		lines = append(append(lines, part.Digest.String()...), '\n')
	}
	if in.Rows > 0 {
		in.Digest = sha256.Sum256(lines)
	}
	return in
}

// kept are the parts as receipts have them.
func (ps parts) kept(inputs []Input) map[string]manifests.Input {
	if ps == nil {
		return nil
	}
	kept := make(map[string]manifests.Input, len(ps))
	for i, part := range ps {
		kept[inputs[i].At()] = manifests.Input(part)
	}
	return kept
}

// expired counts the rows that a partition is computed from and that have expired.
func (j Job) expired(heads Heads, p span) (rows int64) {
	for i, in := range j.Inputs {
		rows += heads[i].expired(j.readsOf(in, p))
	}
	return rows
}

// SortInputs puts inputs into the order of their names in position vectors, which
// digests have.
func SortInputs(inputs []Input) {
	slices.SortFunc(inputs, func(a, b Input) int { return cmp.Compare(a.At(), b.At()) })
}
