package ingest

import (
	"bytes"
	"runtime"
	"slices"

	"strandline/internal/datafile"
	"strandline/landing"
)

// partSize is the most bytes of a source that one goroutine reads at a time. They fit the
// processor's cache, with the block of rows that comes of them.
const partSize = 1 << 20

// partLines is about the most lines of a part: somewhat fewer rows than a block has, so
// that few parts leave a second block all but empty.
const partLines = datafile.BlockRows * 31 / 32

// manyBytes is how many bytes a source has at least that is read in parts.
const manyBytes = 64 << 10

// filled is a Sink that also takes rows which were gathered apart from it.
type filled interface {
	Sink
	Filler() *landing.Filler
	AddFilled(*landing.Filler) error
}

var _ filled = (*landing.Intake)(nil)

// jsonParts reads the lines of a source in parts, several of them at once, and hands on
// what came of them in the order of the source.
type jsonParts struct {
	*jsonDecoding // that of the source
	to            filled
	size          int         // of the next part, in bytes
	width         int         // parts that are read at once, or wait for the one that is first
	begun         []*jsonPart // in the order of the source
	spare         []*jsonPart
}

// jsonPart reads some lines.
type jsonPart struct {
	lines   *jsonDecoding
	filler  *landing.Filler
	rejects []landing.Reject
	buf     []byte
	err     error
	done    chan struct{}
}

// Add implements Sink.
func (p *jsonPart) Add(row landing.Row) error { return p.filler.Add(row) }

// Reject implements Sink.
func (p *jsonPart) Reject(r landing.Reject) error {
	r.Raw = slices.Clone(r.Raw)
	p.rejects = append(p.rejects, r)
	return nil
}

func newJSONParts(j *jsonDecoding, to filled) *jsonParts {
	return &jsonParts{jsonDecoding: j, to: to, size: partSize, width: ahead(runtime.GOMAXPROCS(0))}
}

// ahead is how many parts are begun on so many processors, of which none is to wait for the
// part that happens to take longest.
func ahead(processors int) int {
	if processors == 1 {
		return 1
	}
	return 2 * processors
}

// all reads all lines. One that is longer than a part is read when nothing else is, so
// that no more than one of them has to be in memory.
func (p *jsonParts) all() error {
	defer p.wait()
	for {
		part := p.part()
		text, ok := p.ahead.lines(p.size, part.buf)
		if ok {
			part.buf = text
			if err := p.begin(part); err != nil {
				return err
			}
			continue
		}
		p.spare = append(p.spare, part)
		if err := p.takeAll(); err != nil {
			return err
		}
		if more, err := p.jsonDecoding.next(); err != nil || !more {
			return err
		}
	}
}

// part returns a part that is not in use.
func (p *jsonParts) part() *jsonPart {
	if last := len(p.spare) - 1; last >= 0 {
		part := p.spare[last]
		p.spare = p.spare[:last]
		return part
	}
	part := &jsonPart{filler: p.to.Filler()}
	run := *p.decoding
	run.sink, run.counts = part, Counts{}
	run.record = newRecord(p.record.schema)
	run.record.members = newMembers()
	part.lines = newJSONDecoding(&run)
	part.lines.filler = part.filler
	return part
}

// begin has a part read whose text is in its buffer, while there is room beside others.
func (p *jsonParts) begin(part *jsonPart) error {
	part.lines.line, part.done = p.line, make(chan struct{})
	lines := bytes.Count(part.buf, []byte("\n"))
	p.line += int64(lines)
	p.size = min(partSize, max(manyBytes, len(part.buf)*partLines/(fullLines(part.buf, lines)+1)))
	p.begun = append(p.begun, part)
	if p.width == 1 {
		part.read()
		return p.takeFirst()
	}
	go part.read()
	if len(p.begun) < p.width {
		return nil
	}
	return p.takeFirst()
}

func (p *jsonPart) read() {
	defer close(p.done)
	p.lines.ahead = lookaheadOf(p.buf)
	if p.err = p.lines.all(); p.err == nil {
		p.err = p.filler.End()
	}
}

func (p *jsonParts) takeAll() error {
	for len(p.begun) > 0 {
		if err := p.takeFirst(); err != nil {
			return err
		}
	}
	return nil
}

// takeFirst waits for the part that is first in the source, and hands on what came of it.
func (p *jsonParts) takeFirst() error {
	part := p.begun[0]
	<-part.done
	p.begun = p.begun[1:]
	p.counts.add(part.lines.counts)
	err := part.err
	if err == nil {
		err = p.to.AddFilled(part.filler)
	}
	for _, r := range part.rejects {
		if err == nil {
			err = p.to.Reject(r)
		}
	}
	part.lines.counts, part.rejects = Counts{}, part.rejects[:0]
	p.spare = append(p.spare, part)
	return err
}

// wait waits for what is still being read.
func (p *jsonParts) wait() {
	for _, part := range p.begun {
		<-part.done
	}
}
