package window

import (
	"fmt"
	"slices"

	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// Surveyed is where the partitions of a job stand.
type Surveyed struct {
	// Partitions are in order of time.
	Partitions []Status
	// Fresh counts those that are fresh and not among them.
	Fresh int
}

// Listing says which partitions a survey looks at, and which of them it lists.
type Listing struct {
	Within []Interval // it looks at those that overlap one of these; none: all of time
	Fresh  bool       // it lists the fresh ones too, which are nearly all where there are many
}

// Survey tells where the partitions of the job stand: those that have rows and those that
// are published. Of the others than those it is to look at, it only knows that no input ends
// before what they were computed from. It is a pure function of its arguments. The error is
// ErrHistory.
func (j Job) Survey(fingerprint digest.Hash, heads Heads, table *manifests.Snapshot, list Listing) (Surveyed, error) {
	for _, r := range table.Unpublished() {
		if err := j.CheckReading(fingerprint, heads, r); err != nil {
			return Surveyed{}, err
		}
	}
	if len(list.Within) > 0 {
		if err := j.checkFurthest(heads, table); err != nil {
			return Surveyed{}, err
		}
	}
	places := j.places(heads, table, j.Grain.spansOf(list.Within))
	parts, err := inParts(len(places), func(from, to int) (Surveyed, error) {
		s := surveyor{job: j, sole: j.sole(), apart: j.apart(), fingerprint: fingerprint, heads: heads, table: table, fresh: list.Fresh, formers: formers{}}
		err := s.lookAtAll(places[from:to])
		return s.found, err
	})
	var all Surveyed
	lists := make([][]Status, len(parts))
	for i, part := range parts {
		lists[i] = part.Partitions
		all.Fresh += part.Fresh
	}
	all.Partitions = slices.Concat(lists...)
	return all, err
}

// place is where a partition is that has rows or a receipt.
type place struct {
	of        span // the partition
	published manifests.Published
}

// places are all there are within spans of whole partitions, which are in order of time and
// apart, as places are.
func (j Job) places(heads Heads, table *manifests.Snapshot, within []span) (places []place) {
	for _, w := range within {
		touched := j.peopled(heads, w)
		if places == nil {
			places = make([]place, 0, len(touched))
		}
		of := w.interval()
		for r := range table.Within(of.Start, of.End) {
			start, end := r.Interval()
			of := span{start.UnixMicro(), end.UnixMicro()}
			if j.Grain.spanOf(of.from) != of {
				continue // of a grain that a rebuild will replace
			}
			n := 0
			for n < len(touched) && touched[n] < of.from {
				places = append(places, place{of: j.Grain.spanOf(touched[n])})
				n++
			}
			if n < len(touched) && touched[n] == of.from {
				n++
			}
			touched = touched[n:]
			places = append(places, place{of, r})
		}
		for _, start := range touched {
			places = append(places, place{of: j.Grain.spanOf(start)})
		}
	}
	return places
}

// peopled are where the partitions of a span start that have rows of some input in their
// own event times, in microseconds since 1970: what is read beside makes no partition.
func (j Job) peopled(heads Heads, within span) (starts []int64) {
	fits := j.fits()
	for _, head := range heads {
		var own []int64
		if fits {
			own = j.touched(head.spans(within), 0, head.whole)
		} else {
			reach := j.reach()
			own = j.touched(head.spans(within.widened(reach)), reach, func(p span) span { return head.whole(j.peoples(p)) })
		}
		if len(starts) == 0 {
			starts = own
			continue
		}
		starts = append(starts, own...)
		slices.Sort(starts)
		starts = slices.Compact(starts)
	}
	// Whole hours reach over the edge of a span of less.
	return slices.DeleteFunc(starts, func(start int64) bool { return start < within.from || start >= within.to })
}

// surveyor looks at partitions.
type surveyor struct {
	job         Job
	sole, apart bool // as the job is
	fingerprint digest.Hash
	heads       Heads
	table       *manifests.Snapshot
	fresh       bool // it lists what is fresh
	formers     formers
	found       Surveyed

	sums   digest.Many
	inputs []landing.Input // of some partitions, if the job is of one stream: see sum
}

// together is of how many partitions the inputs are digested side by side.
const together = 1024

func (s *surveyor) lookAtAll(places []place) error {
	for some := range slices.Chunk(places, together) {
		s.sum(some)
		for i, at := range some {
			if err := s.look(at, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// sum finds out what partitions are computed from now, as Job.inputsOf does.
func (s *surveyor) sum(some []place) {
	if s.inputs = s.inputs[:0]; !s.sole {
		return
	}
	for _, at := range some {
		lines, rows := s.heads[0].lines(s.sums.Next(), s.readsOf(at))
		s.sums.Add(lines)
		s.inputs = append(s.inputs, landing.Input{Rows: rows})
	}
	for i, hash := range s.sums.Hashes() {
		if in := &s.inputs[i]; in.Rows > 0 {
			in.Digest = hash
		}
	}
}

// readsOf are the event times that a partition of a job of one stream is computed from.
func (s *surveyor) readsOf(at place) span {
	if s.apart {
		return at.of // which is looked up for every partition
	}
	return s.job.readsOf(s.job.Inputs[0], at.of)
}

// look finds out where a partition stands. One that is simply fresh is not unpacked
// unless it is to be listed. It is the one at i of those that were summed up.
func (s *surveyor) look(at place, i int) error {
	of := at.of
	now, parts := s.inputOf(of, i)
	if !s.fresh && at.published.Is() && s.isFresh(at.published, now) {
		s.found.Fresh++
		return nil
	}
	p := s.job.Grain.at(of.from)
	var receipt *manifests.Receipt
	if at.published.Is() {
		receipt = at.published.Receipt()
		if err := s.job.checkReading(s.fingerprint, s.heads, receipt.Reading(), p, now); err != nil {
			return err
		}
	}
	status := Status{Partition: p, Input: now, Inputs: parts.kept(s.job.Inputs), Expired: s.job.expired(s.heads, of), Receipt: receipt}
	s.judge(&status)
	s.found.Partitions = append(s.found.Partitions, status)
	return nil
}

// inputOf is what a partition is computed from now, the one at i of those that were summed up.
func (s *surveyor) inputOf(of span, i int) (landing.Input, parts) {
	if s.sole {
		return s.inputs[i], nil
	}
	return s.job.inputsOf(s.heads, of)
}

// isFresh tells whether checkReading would find nothing wrong with the partition and
// judge call it fresh, by its receipt alone.
func (s *surveyor) isFresh(r manifests.Published, now landing.Input) bool {
	for i, in := range s.job.Inputs {
		if upTo, reads := r.Read(in.At()); !reads || upTo > s.heads[i].End() {
			return false
		}
	}
	return r.InputDigest() == now.Digest && r.Fingerprint() == s.fingerprint && !(s.table.TriedSome() && s.table.Tried(r.Partition()))
}

// Published tells how published partitions of a table stand, as a survey does. The receipts
// are those of the table, as it was read.
func (j Job) Published(fingerprint digest.Hash, heads Heads, table *manifests.Snapshot, receipts []manifests.Receipt) (all []Status, err error) {
	if len(receipts) == 0 {
		return nil, nil
	}
	grain, err := ParseGrain(table.Definition.Grain)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", table.Table, err)
	}
	s := surveyor{job: j, fingerprint: fingerprint, heads: heads, table: table, formers: formers{}}
	for _, r := range receipts {
		p := Partition{Grain: grain, Interval: Interval{Start: r.Start, End: r.End}}
		now, parts := j.inputsOf(heads, p.span())
		status := Status{Partition: p, Input: now, Inputs: parts.kept(j.Inputs), Expired: j.expired(heads, p.span()), Receipt: &r}
		s.judge(&status)
		all = append(all, status)
	}
	return all, nil
}

// hold holds the receipt of a partition, if it has one, against its input.
func (s *surveyor) hold(status *Status) {
	if r := status.Receipt; r != nil {
		// What another input brought is not what these did not bring: only a
		// person can tell which of them is the better, by a backfill.
		read := s.job.read(r.Positions)
		status.was = s.was(r.Fingerprint)
		status.StaleData = read && s.dataChanged(status, r.Reading())
		status.StaleCode = !read || r.Fingerprint != s.fingerprint
	}
}

func (s *surveyor) judge(status *Status) {
	s.hold(status)
	status.State = status.published()
	s.recorded(status)
	status.outlive()
}

// published is how the partition stands by its receipt alone.
func (s Status) published() State {
	switch {
	case s.Receipt == nil:
		return Missing
	case s.StaleData || s.StaleCode:
		return Stale
	}
	return Fresh
}

// recorded looks at what was recorded of the partition beside its receipt. It
// counts only as long as input and code are those it was recorded for. What can't
// be computed any more stays aside whatever the code is.
func (s *surveyor) recorded(status *Status) {
	name := status.String()
	if !s.table.Tried(name) {
		return
	}
	now := func(input, code digest.Hash) bool { return input == status.Input.Digest && code == s.fingerprint }
	if a, ok := s.table.Aside(name); ok && (now(a.InputDigest, a.Fingerprint) || !status.Recomputable() && !s.dataChanged(status, a.Reading(name))) {
		status.Aside, status.State = &a, Aside
	}
	if c, ok := s.table.Held(name); ok && now(c.Receipt.InputDigest, c.Receipt.Fingerprint) {
		status.Candidate, status.State = &c, Held
	}
	if f, ok := s.table.Failed(name); ok && now(f.InputDigest, f.Fingerprint) {
		status.Failure, status.State = &f, Failed
	}
}
