package main

import (
	"fmt"
	"strings"

	"strandline/audit"
)

// mostNotes is how many notes of one name about one stream or table are shown as
// text. Of those after them only the number is told.
const mostNotes = 3

// foundPrinter prints what an audit tells. Faults are all shown.
type foundPrinter struct {
	app    *app
	notes  map[noteKind]int
	hidden []noteKind // in the order in which they came
}

type noteKind struct {
	name audit.Name
	in   string
}

func (p *foundPrinter) found(f audit.Fault) error {
	kind := noteKind{f.Name, f.In}
	if f.Level == audit.LevelNote {
		p.notes[kind]++
		if n := p.notes[kind]; n > mostNotes && !p.app.json {
			if n == mostNotes+1 {
				p.hidden = append(p.hidden, kind)
			}
			return nil
		}
	}
	return p.app.fact(f, "%s\n", describeFault(f, p.notes[kind] < 2))
}

// rest tells how many notes were not shown.
func (p *foundPrinter) rest() {
	for _, kind := range p.hidden {
		p.app.print("note   %s  and %d more%s; --json lists all\n",
			kind.name, p.notes[kind]-mostNotes, strings.TrimSuffix(" in "+kind.in, " in "))
	}
}

// describeFault is a fault as text: what and where, and below it what was seen,
// and whole, what it means and what to do.
func describeFault(f audit.Fault, whole bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-5s  %s  %s\n", f.Level, f.Name, printable(f.Key))
	fmt.Fprintf(&b, "       seen   %s", f.Seen)
	if hits := hits(f); hits != "" {
		fmt.Fprintf(&b, "\n       hits   %s", hits)
	}
	if whole {
		fmt.Fprintf(&b, "\n       means  %s\n       do     %s", f.Means, f.Do)
	}
	return b.String()
}

// hits says what a fault hits.
func hits(f audit.Fault) string {
	var parts []string
	if f.Entries != nil {
		parts = append(parts, "entries "+f.Entries.String())
	}
	if f.Positions != nil {
		parts = append(parts, "positions "+f.Positions.String())
	}
	if f.EventTime != nil {
		parts = append(parts, "event time "+f.EventTime.String())
	}
	if n := len(f.Partitions); n > 0 {
		const most = 5
		text := "partitions " + strings.Join(f.Partitions[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
