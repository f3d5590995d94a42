package window

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

// A survey of ranges says what one of all time says of the partitions in them.
func TestASurveyOfARangeIsThatOfAllTimeInIt(t *testing.T) {
	states := map[State]int{}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 23))
		l := anyLake(t, random, seed)
		for range 10 {
			list := Listing{Within: l.anyRanges(random), Fresh: random.IntN(2) == 0}
			got, err := l.job.Survey(l.code, l.heads(t, random), l.own, list)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if want := l.ofAllTime(t, random, list); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %+v by %s, dedup %+v, of %v, within %v: got %+v\nwant %+v", seed, l.job.Window, l.job.Grain, l.job.Dedup, l.job.Inputs, list, got, want)
			}
			states[Fresh] += got.Fresh
			for _, s := range got.Partitions {
				states[s.State]++
			}
		}
	}
	for _, state := range []State{Fresh, Stale, Missing, Failed, Held} {
		if states[state] < 50 {
			t.Errorf("only %d partitions were %s, which tests little", states[state], state)
		}
	}
}

// lakeOf is a job, what it reads and its table.
type lakeOf struct {
	job    Job
	code   digest.Hash
	around time.Time
	store  objstore.Store
	stream *landing.Stream
	rows   int
	table  *manifests.Snapshot // that the job reads too, or nil
	own    *manifests.Snapshot
}

func anyLake(t *testing.T, random *rand.Rand, seed uint64) *lakeOf {
	l := &lakeOf{job: anyJob(random), code: digest.OfBytes([]byte("code")), around: at("1970-01-01T01:00:00Z"), store: objstore.NewMemory()}
	if seed%3 == 1 {
		clocks := clockChanges[random.IntN(len(clockChanges))]
		l.job, l.around = inZone(t, random, l.job, clocks.zone), at(clocks.at)
	}
	rows := anyRows(random, l.job, l.around, 2+random.IntN(40))
	l.stream, l.rows = landRows(t, l.store, t.TempDir(), "s", rows), len(rows)
	if seed%4 == 3 {
		l.table = tableOf(t, "up", GrainHour, l.anyPartitions(random, GrainHour), func(p *manifests.Proposal, r manifests.Receipt) {
			p.Receipts = append(p.Receipts, r)
		})
		l.job.Inputs = append(l.job.Inputs, Input{Name: "up", Table: true, Before: time.Duration(random.IntN(3)) * time.Hour})
		SortInputs(l.job.Inputs)
	}
	var partitions []Partition
	empty := tableOf(t, "j", l.job.Grain, nil, nil)
	all, err := l.job.Survey(l.code, l.heads(t, random), empty, Listing{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Partitions {
		partitions = append(partitions, s.Partition)
	}
	l.own = tableOf(t, "j", l.job.Grain, append(partitions, l.anyPartitions(random, l.job.Grain)...), func(p *manifests.Proposal, r manifests.Receipt) {
		l.publish(t, random, p, r)
	})
	return l
}

// publish puts something of a partition into a proposal, or nothing.
func (l *lakeOf) publish(t *testing.T, random *rand.Rand, p *manifests.Proposal, r manifests.Receipt) {
	heads := l.heads(t, random)
	of := Interval{r.Start, r.End}.span()
	now, parts := l.job.inputsOf(heads, of)
	r.InputRows, r.InputDigest, r.Inputs, r.Positions, r.Fingerprint = now.Rows, now.Digest, parts.kept(l.job.Inputs), l.job.Ends(heads), l.code
	switch random.IntN(6) {
	case 0: // nothing
		return
	case 1:
		r.Fingerprint = digest.OfBytes([]byte("other code"))
	case 2:
		if l.job.sole() { // older data: of the first arrival alone
			in, upTo := l.job.Inputs[0], landing.Position(l.rows/3)
			l.stream.View(func(s *landing.State) { now, _ = s.InputBounds(l.job.readsOf(in, of).hours(), upTo) })
			r.InputRows, r.InputDigest, r.Positions = now.Rows, now.Digest, manifests.Positions{in.At(): int64(upTo)}
		}
	case 3:
		p.Failures = append(p.Failures, manifests.Failure{Partition: r.Partition, Start: r.Start, End: r.End, Fingerprint: r.Fingerprint, InputDigest: r.InputDigest, Reason: "fails"})
		return
	case 4:
		p.Held = append(p.Held, manifests.Candidate{Receipt: r, Violations: []string{"held"}})
		return
	}
	p.Receipts = append(p.Receipts, r)
}

// tableOf is a table of which publish chose what there is of partitions.
func tableOf(t *testing.T, name string, grain Grain, partitions []Partition, publish func(*manifests.Proposal, manifests.Receipt)) *manifests.Snapshot {
	t.Helper()
	table := manifests.Open(objstore.NewMemory(), name, manifests.Options{})
	generation, err := table.Register(t.Context(), manifests.DriverStream, manifests.Definition{Job: name, Fingerprint: digest.OfBytes([]byte("code")), Key: []string{"k"}, Grain: grain.String()})
	if err != nil {
		t.Fatal(err)
	}
	p := manifests.Proposal{Driver: manifests.DriverStream, Generation: generation}
	slices.SortFunc(partitions, func(a, b Partition) int { return a.Start.Compare(b.Start) })
	for _, at := range slices.CompactFunc(partitions, func(a, b Partition) bool { return a.Start.Equal(b.Start) }) {
		r := manifests.Receipt{Partition: at.String(), Start: at.Start, End: at.End, Rows: 1, RowDigest: digest.OfRow([]byte(at.String()))}
		publish(&p, r)
	}
	if len(p.Receipts)+len(p.Failures)+len(p.Held) > 0 {
		if _, err := table.Publish(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	snapshot, err := table.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// anyPartitions are a few near the rows.
func (l *lakeOf) anyPartitions(random *rand.Rand, grain Grain) (some []Partition) {
	for range random.IntN(6) {
		some = append(some, grain.Containing(l.anyTime(random)))
	}
	return some
}

// anyTime is an instant near the rows.
func (l *lakeOf) anyTime(random *rand.Rand) time.Time {
	p := l.job.Grain.Containing(l.around)
	long := p.End.Sub(p.Start)
	return p.Start.Add(time.Duration(random.Int64N(int64(7*long))) - 3*long).Truncate(time.Microsecond)
}

// anyRanges are one or more, which may overlap and cut partitions, and of which one may be
// open.
func (l *lakeOf) anyRanges(random *rand.Rand) (ranges []Interval) {
	for range 1 + random.IntN(3) {
		i := l.job.Grain.Containing(l.anyTime(random)).Interval
		switch random.IntN(4) {
		case 0:
			i.End = i.Start.Add(time.Duration(1+random.Int64N(int64(3*i.End.Sub(i.Start)))) + time.Microsecond).Truncate(time.Microsecond)
		case 1:
			i.Start = i.Start.Add(-time.Duration(random.Int64N(int64(i.End.Sub(i.Start))))).Truncate(time.Microsecond)
		case 2:
			if random.IntN(4) == 0 {
				i.Start = beginning
			}
		}
		ranges = append(ranges, i)
	}
	return ranges
}

// heads are the inputs as they are, as a process sees them that has asked before, or
// another one.
func (l *lakeOf) heads(t *testing.T, random *rand.Rand) (heads Heads) {
	if random.IntN(2) == 0 {
		l.stream = landing.Open(l.store, l.stream.Spec(), landing.Options{})
		if err := l.stream.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range l.job.Inputs {
		if in.Table {
			heads = append(heads, TableHead(l.table, Watermark{}))
			continue
		}
		l.stream.View(func(s *landing.State) { heads = append(heads, StreamHead(s)) })
	}
	return heads
}

// ofAllTime is what a survey of all time says of the ranges.
func (l *lakeOf) ofAllTime(t *testing.T, random *rand.Rand, list Listing) (in Surveyed) {
	all, err := l.job.Survey(l.code, l.heads(t, random), l.own, Listing{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Partitions {
		switch within := overlapsAny(joined(list.Within), s.Interval); {
		case !within:
		case s.State == Fresh && !list.Fresh:
			in.Fresh++
		default:
			in.Partitions = append(in.Partitions, s)
		}
	}
	return in
}
