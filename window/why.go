package window

import (
	"time"

	"strandline/internal/digest"
	"strandline/landing"
	"strandline/manifests"
)

// Why says more of a partition than its State does, for who asks for a plan: what made
// it stale, and what it costs to compute it.
type Why struct {
	// News is what came of each input since the partition was computed; empty where
	// no data has changed.
	News []News `json:"news,omitempty"`
	// Code is what of the code changed since; nil where none has.
	Code *Changed `json:"-"`
	Cost Cost     `json:"cost"`
}

// News are the rows of one input that came since a partition was computed. They are
// those of whole bucket-hours, as its input is.
type News struct {
	Input string `json:"input"`
	Rows  int64  `json:"rows"`
	// AtMost says that some of the rows may have been read before: the code that did
	// has read other bucket-hours, and a compaction has merged what came before and since.
	AtMost bool `json:"at_most,omitempty"`
	landing.Brought
}

// Cost is what a recompute reads. Segments are read whole, so its bytes are those of
// their files as they are stored, and of other partitions too.
type Cost struct {
	Rows int64 `json:"rows"` // of the input
	landing.Weight
}

// Changed is how the code that some partitions are the work of differs from the job's.
type Changed struct {
	Fingerprint digest.Hash `json:"fingerprint"` // of the old code
	Partitions  int         `json:"partitions"`  // that are its work and stale
	// Generation, At and Writer say who registered it. They are zero where that is not
	// recorded: an older program did, which kept no parts.
	Generation uint64    `json:"generation,omitempty"`
	At         time.Time `json:"at,omitzero"`
	Writer     string    `json:"writer,omitempty"`
	// Changes are empty too where the old code reads as the new one does.
	Changes []Change `json:"changes,omitempty"`
}

// Recorded tells whether it is known what the old code was.
func (c *Changed) Recorded() bool { return c.Generation > 0 }

// Parts names what changed.
func (c *Changed) Parts() []string {
	names := make([]string, len(c.Changes))
	for i, change := range c.Changes {
		names[i] = change.Part
	}
	return names
}

// Explain has the plan say why of each of its tasks, and what all of them cost; of those
// that are fresh only where they are to be computed too. It reads metadata only.
func (p *Plan) Explain(fresh bool, stream *landing.State, table *manifests.Snapshot, now manifests.Definition) {
	x := explainer{plan: p, stream: stream, table: table, now: now, weighing: stream.Weigh(p.UpTo), changed: map[digest.Hash]*Changed{}}
	for i := range p.Tasks {
		if p.Tasks[i].State == Fresh && !fresh {
			continue
		}
		x.explain(&p.Tasks[i])
		p.Cost.Rows += p.Tasks[i].Why.Cost.Rows
	}
	p.Cost.Weight = x.weighing.Weight
}

type explainer struct {
	plan     *Plan
	stream   *landing.State
	table    *manifests.Snapshot
	now      manifests.Definition
	weighing *landing.Weighing
	changed  map[digest.Hash]*Changed
}

func (x *explainer) explain(s *Status) {
	hours := x.plan.Job.Hours(s.Partition)
	s.Why = &Why{}
	if s.Recomputable() {
		s.Why.Cost = Cost{s.Input.Rows, x.weighing.Add(hours)}
	}
	if s.StaleData {
		s.Why.News = []News{x.news(s, hours)}
	}
	if s.StaleCode {
		s.Why.Code = x.code(s.Receipt.Fingerprint)
		s.Why.Code.Partitions++
	}
}

// news are what came of the stream. With the same code, the partition was computed from
// all there was in the same bucket-hours, so that their number is known.
func (x *explainer) news(s *Status, hours landing.Hours) News {
	from := landing.Position(s.Receipt.Positions[x.plan.Job.From])
	n := News{Input: x.plan.Job.From, Rows: s.Input.Rows - s.Receipt.InputRows, Brought: x.stream.Brought(hours, from, x.plan.UpTo)}
	if s.StaleCode {
		least, most := x.stream.InputBounds(hours, from)
		n.Rows, n.AtMost = s.Input.Rows-least.Rows, least.Rows < most.Rows
	}
	return n
}

// code returns how a code differs, once for all partitions that are its work.
func (x *explainer) code(fingerprint digest.Hash) *Changed {
	c, known := x.changed[fingerprint]
	if !known {
		c = &Changed{Fingerprint: fingerprint}
		if old, recorded := x.table.Code(fingerprint); recorded && len(old.Parts) > 0 {
			c.Generation, c.At, c.Writer = old.Generation, old.At, old.Writer
			c.Changes = Changes(old, x.now)
		}
		x.changed[fingerprint] = c
		x.plan.Changed = append(x.plan.Changed, c)
	}
	return c
}
