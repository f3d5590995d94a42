package window

import (
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

// Survey tells where every partition of the job stands: those that have rows
// and those that are published. It is a pure function of its arguments. The fresh
// ones, which are nearly all where there are many, are listed only with fresh. The
// error is ErrHistory.
func (j Job) Survey(fingerprint digest.Hash, stream *landing.State, table *manifests.Snapshot, fresh bool) (Surveyed, error) {
	for _, r := range table.Unpublished() {
		if err := j.CheckReading(fingerprint, stream, r); err != nil {
			return Surveyed{}, err
		}
	}
	places := j.places(stream, table)
	parts, err := inParts(len(places), func(from, to int) (Surveyed, error) {
		s := surveyor{j, fingerprint, stream, table, fresh, Surveyed{}}
		for _, at := range places[from:to] {
			if err := s.look(at); err != nil {
				return s.found, err
			}
		}
		return s.found, nil
	})
	var all Surveyed
	for _, part := range parts {
		all.Partitions = append(all.Partitions, part.Partitions...)
		all.Fresh += part.Fresh
	}
	return all, err
}

// place is where a partition is that has rows or a receipt.
type place struct {
	start     int64 // of the partition, in microseconds
	published manifests.Published
}

// places are all there are, in order of time.
func (j Job) places(stream *landing.State, table *manifests.Snapshot) []place {
	touched := j.touched(stream.HourIndex(0, stream.Next()), j.peoples)
	places := make([]place, 0, len(touched))
	for r := range table.Each() {
		start, end := r.Interval()
		at := start.UnixMicro()
		if j.Grain.startOf(at) != at || j.Grain.endOf(at) != end.UnixMicro() {
			continue // of a grain that a rebuild will replace
		}
		n := 0
		for n < len(touched) && touched[n] < at {
			places = append(places, place{start: touched[n]})
			n++
		}
		if n < len(touched) && touched[n] == at {
			n++
		}
		touched = touched[n:]
		places = append(places, place{at, r})
	}
	for _, start := range touched {
		places = append(places, place{start: start})
	}
	return places
}

// surveyor looks at partitions.
type surveyor struct {
	job         Job
	fingerprint digest.Hash
	stream      *landing.State
	table       *manifests.Snapshot
	fresh       bool
	found       Surveyed
}

// look finds out where a partition stands. One that is simply fresh is not unpacked
// unless it is to be listed.
func (s *surveyor) look(at place) error {
	hours := s.job.hoursFrom(at.start)
	now := s.stream.InputOf(hours)
	if !s.fresh && at.published.Is() && s.isFresh(at.published, now) {
		s.found.Fresh++
		return nil
	}
	p := s.job.Grain.at(at.start)
	status := Status{Partition: p, Input: now, Expired: s.stream.Expired(hours)}
	if at.published.Is() {
		status.Receipt = at.published.Receipt()
		if err := s.job.checkReading(s.fingerprint, s.stream, status.Receipt.Reading(), p, now); err != nil {
			return err
		}
	}
	s.judge(&status)
	s.found.Partitions = append(s.found.Partitions, status)
	return nil
}

// isFresh tells whether checkReading would find nothing wrong with the partition and
// judge call it fresh, by its receipt alone.
func (s *surveyor) isFresh(r manifests.Published, now landing.Input) bool {
	upTo, reads := r.Read(s.job.From)
	return reads && landing.Position(upTo) <= s.stream.Next() &&
		r.InputDigest() == now.Digest && r.Fingerprint() == s.fingerprint && !s.table.Tried(r.Partition())
}

func (s *surveyor) judge(status *Status) {
	if r := status.Receipt; r != nil {
		// What another stream brought is not what this one did not bring: only a
		// person can tell which of them is the better, by a backfill.
		_, read := r.Positions[s.job.From]
		status.StaleData = read && r.InputDigest != status.Input.Digest
		status.StaleCode = !read || r.Fingerprint != s.fingerprint
	}
	status.State = status.published()
	status.recorded(s.fingerprint, s.table)
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
func (s *Status) recorded(fingerprint digest.Hash, table *manifests.Snapshot) {
	if !table.Tried(s.String()) {
		return
	}
	now := func(input, code digest.Hash) bool { return input == s.Input.Digest && code == fingerprint }
	if a, ok := table.Aside(s.String()); ok && (now(a.InputDigest, a.Fingerprint) || !s.Recomputable() && a.InputDigest == s.Input.Digest) {
		s.Aside, s.State = &a, Aside
	}
	if c, ok := table.Held(s.String()); ok && now(c.Receipt.InputDigest, c.Receipt.Fingerprint) {
		s.Candidate, s.State = &c, Held
	}
	if f, ok := table.Failed(s.String()); ok && now(f.InputDigest, f.Fingerprint) {
		s.Failure, s.State = &f, Failed
	}
}
