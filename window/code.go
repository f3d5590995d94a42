package window

import (
	"fmt"
	"strings"

	"strandline/internal/digest"
	"strandline/internal/zone"
	"strandline/manifests"
)

// Part is one of the things that can change a job's result for the same input rows.
// All of them, in order, are digested to its fingerprint. What is added to a job has
// parts only where it is used, so that no other job becomes other code.
type Part struct {
	Name  string
	Value string // what is digested
	Text  string // what people are shown; "": the Value
}

// computation numbers what a recompute makes of the same parts.
const computation = 3

// code lists the parts of the job, and nothing else: reformatting the SQL or declaring
// a column that the job does not read leaves it as it was.
func (c *Compiled) code(engine string) []Part {
	var parts []Part
	add := func(name string, value any) { parts = append(parts, Part{Name: name, Value: fmt.Sprint(value)}) }
	add("strandline recompute", computation)
	add("engine", engine)
	parts = append(parts, Part{Name: PartSQL, Value: c.statement.Normalized, Text: c.statement.Plain})
	add("from", c.from())
	parts = append(parts, c.Window.code()...)
	if c.Window.Kind == None {
		add(partTime, c.Time)
	}
	add("partition", c.Grain)
	if z := c.Grain.Zone; !z.IsUTC() {
		parts = append(parts, zonePart(z))
	}
	add("key", strings.Join(c.Key, ","))
	parts = append(parts, c.Dedup.code()...)
	for i, in := range c.Inputs {
		parts = append(parts, c.inputCode(in, c.shapes[i])...)
	}
	for _, l := range c.Lookups {
		parts = append(parts, c.lookupCode(l)...)
	}
	return parts
}

// PartSQL names the part that is the job's SQL. What is digested is its syntax tree.
const PartSQL = "sql"

// The names of parts that say what event times a job reads, and to which partition a row
// of a job without windows belongs: see formerly.
const (
	partTime     = "time"
	partTimezone = "timezone"
	partWindows  = "windows" // their kind, unless they are tumbling
	partWindow   = "window"
	partEvery    = "window every"
	partOffset   = "window offset"
	partGap      = "session gap"
	partMax      = "session max"
	partWithin   = "dedup within"
	partBefore   = "before of " // and the input
	partAfter    = "after of "
)

// zonePart is the part that the time zone of partitions is; UTC is none.
func zonePart(z zone.Zone) Part {
	if z.IsUTC() {
		return Part{}
	}
	return Part{partTimezone, z.Digest().String(), fmt.Sprintf("%s, by the rules %s", z, z.Digest().Short())}
}

// digestOf digests parts to a fingerprint.
func digestOf(parts []Part) digest.Hash {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s %q\n", p.Name, p.Value)
	}
	return digest.OfBytes([]byte(b.String()))
}

// Definition is the job as its table's manifest log keeps it.
func (c *Compiled) Definition() manifests.Definition {
	d := manifests.Definition{
		Job: c.Name, Fingerprint: c.Fingerprint, Key: c.Key, Grain: c.Grain.String(), Columns: c.Columns,
		SQL: strings.TrimSpace(c.SQL),
	}
	if !c.Grain.Zone.IsUTC() {
		d.HasPartition = c.Grain.has
	}
	for _, p := range c.Code {
		d.Parts = append(d.Parts, p.kept())
	}
	return d
}

// kept is the part as people are shown it.
func (p Part) kept() manifests.Part {
	if p.Text == "" {
		return manifests.Part{Name: p.Name, Value: p.Value}
	}
	return manifests.Part{Name: p.Name, Value: p.Text}
}
