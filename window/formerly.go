package window

import (
	"time"

	"strandline/internal/digest"
	"strandline/internal/zone"
	"strandline/manifests"
)

// formerly is the job with the windows, the dedup and what is read beside of a code that
// is recorded, so that it tells of what event times that code computed a partition.
// That can't be told where the code has no parts, or another calendar.
func (j Job) formerly(code manifests.Definition) *Job {
	parts := formerParts{partsOf(code), true}
	if parts.values[partTimezone] != zonePart(j.Grain.Zone).Text {
		return nil
	}
	was := j
	was.Window = parts.window(j.Grain.Zone)
	was.Dedup = &Dedup{Within: parts.duration(partWithin)}
	was.Inputs = make([]Input, len(j.Inputs))
	for i, in := range j.Inputs {
		in.Before, in.After = parts.duration(partBefore+in.Name), parts.duration(partAfter+in.Name)
		was.Inputs[i] = in
	}
	if !parts.read {
		return nil
	}
	return &was
}

// formerParts are the parts of a code as people are shown them.
type formerParts struct {
	values map[string]string
	read   bool // all that was asked for could be
}

// window reads what Window.code wrote, but for the columns of sessions.
func (p *formerParts) window(z zone.Zone) Window {
	w := Window{
		Kind: Tumbling, Every: p.duration(partEvery), Offset: p.duration(partOffset),
		Gap: p.duration(partGap), Max: p.duration(partMax),
	}
	if kind, other := p.values[partWindows]; other {
		w.Kind = Kind(kind)
	}
	switch unit := Unit(p.values[partWindow]); unit {
	case UnitWeek, UnitMonth, UnitYear:
		w.Unit = unit
	default:
		w.Size = p.duration(partWindow)
	}
	return w.InZone(z)
}

// duration is 0 where the code has no such part.
func (p *formerParts) duration(name string) time.Duration {
	text, has := p.values[name]
	if !has {
		return 0
	}
	d, err := ParseDuration(text)
	p.read = p.read && err == nil
	return d
}

// formers are codes that results of a table are the work of, by their fingerprints; nil
// where it is not known what event times they read.
type formers map[digest.Hash]*Job

// was is the job as a code is that a result of the table is the work of, or nil.
func (s *surveyor) was(fingerprint digest.Hash) *Job {
	was, looked := s.formers[fingerprint]
	if looked {
		return was
	}
	if fingerprint == s.fingerprint {
		was = &s.job
	} else if code, _ := s.table.Code(fingerprint); len(code.Parts) > 0 {
		was = s.job.formerly(code)
	}
	s.formers[fingerprint] = was
	return was
}

// ReadBy is the job as far as it says which event times the receipt's result was computed
// from: now, or as it was then. known is false where that can't be told of all inputs.
func (s Status) ReadBy(now Job) (was Job, known bool) {
	if s.was == nil || len(s.Receipt.Positions) != len(now.Inputs) {
		return now, false
	}
	return *s.was, true
}

// hadReads are the event times of an input that the receipt's result was computed from; as
// they are now where that is not known.
func (s Status) hadReads(now Job, input int) span {
	if s.was != nil {
		now = *s.was
	}
	return now.readsOf(now.Inputs[input], s.span())
}

// dataChanged tells whether what a result of a partition was computed from is other than
// what there is now of the event times that its code read: those that other code reads
// beside don't make it old. Where it is not known which they were, it has changed if
// rows have come since of those that are read now.
func (s *surveyor) dataChanged(status *Status, r manifests.Reading) bool {
	if r.Fingerprint == s.fingerprint {
		return r.InputDigest != status.Input.Digest
	}
	was, of := s.was(r.Fingerprint), status.span()
	if was != nil && len(r.Positions) == len(s.job.Inputs) { // it read these and no others
		now, _ := was.inputsOf(s.heads, of)
		return r.InputDigest != now.Digest
	}
	for i := range s.job.Inputs {
		if _, _, changed := s.job.grown(was, i, s.heads[i], of, r); changed {
			return true
		}
	}
	return false
}

// grown tells how many rows there are more of an input than a result had read of it, and
// whether they are others at all. atMost says that some may have been read before: it is
// not known what event times were read, and a compaction has merged what came before and since.
func (j Job) grown(was *Job, input int, head Head, of span, r manifests.Reading) (rows int64, atMost, changed bool) {
	in := j.Inputs[input]
	read, known := j.readOf(in, r)
	if was != nil && known {
		now := head.sum(was.readsOf(was.Inputs[input], of))
		return now.Rows - read.Rows, false, now.Digest != read.Digest
	}
	reads := j.readsOf(in, of)
	if known && read.Digest == head.sum(reads).Digest {
		return 0, false, false
	}
	rows, atMost = head.grown(reads, r.Positions[in.At()])
	return rows, atMost, rows > 0 || atMost
}
