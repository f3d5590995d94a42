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
// those of whole bucket-hours, as its input is. Of a table they are how many there are
// more, of its whole partitions, which may be fewer too or others; From and To are the
// versions that were read and are read now.
type News struct {
	Input string `json:"input"`
	Table bool   `json:"table,omitempty"`
	Rows  int64  `json:"rows"`
	// AtMost says that some of the rows may have been read before: it is not known which
	// bucket-hours the code read that did, and a compaction has merged what came before and since.
	AtMost bool `json:"at_most,omitempty"`
	landing.Brought
}

// Cost is what a recompute reads. Segments, and files of tables, which count as segments
// here, are read whole, so its bytes are those of their files as they are stored, and of
// other partitions too.
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
func (p *Plan) Explain(fresh bool, heads Heads, table *manifests.Snapshot, now manifests.Definition) {
	x := explainer{plan: p, heads: heads, table: table, now: now, changed: map[digest.Hash]*Changed{}}
	for i, in := range p.Job.Inputs {
		x.weighing = append(x.weighing, heads[i].weigh(p.Read[in.At()]))
	}
	for i := range p.Tasks {
		if p.Tasks[i].State == Fresh && !fresh {
			continue
		}
		x.explain(&p.Tasks[i])
		p.Cost.Rows += p.Tasks[i].Why.Cost.Rows
	}
	for _, w := range x.weighing {
		p.Cost.plus(w.all())
	}
}

type explainer struct {
	plan     *Plan
	heads    Heads
	table    *manifests.Snapshot
	now      manifests.Definition
	weighing []weigher // of the inputs
	changed  map[digest.Hash]*Changed
}

func (x *explainer) explain(s *Status) {
	s.Why = &Why{}
	if s.Recomputable() {
		s.Why.Cost = x.cost(s)
	}
	if s.StaleData {
		s.Why.News = x.news(s)
	}
	if s.StaleCode {
		s.Why.Code = x.code(s.Receipt.Fingerprint)
		s.Why.Code.Partitions++
	}
}

// cost is what the partition alone costs.
func (x *explainer) cost(s *Status) Cost {
	cost := Cost{Rows: s.Input.Rows}
	for i, in := range x.plan.Job.Inputs {
		cost.plus(x.weighing[i].add(x.plan.Job.readsOf(in, s.span())))
	}
	return cost
}

func (c *Cost) plus(w landing.Weight) {
	c.Segments += w.Segments
	c.Bytes += w.Bytes
}

// news are what came of the inputs, of the event times that the receipt's code read.
func (x *explainer) news(s *Status) (all []News) {
	job, r := x.plan.Job, s.Receipt.Reading()
	for i, in := range job.Inputs {
		rows, atMost, changed := job.grown(s.was, i, x.heads[i], s.span(), r)
		if !changed {
			continue
		}
		brought := x.heads[i].brought(s.hadReads(job, i), r.Positions[in.At()], x.plan.Read[in.At()])
		all = append(all, News{Input: in.Name, Table: in.Table, Rows: rows, AtMost: atMost, Brought: brought})
	}
	return all
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
