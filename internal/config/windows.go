package config

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"strandline/landing"
	"strandline/window"
)

// windowKeys are the keys of each kind of windows, the first of which names it.
var windowKeys = map[window.Kind][]string{
	window.Tumbling: {"tumbling", "offset"},
	window.Hopping:  {"hopping", "every", "offset"},
	window.Session:  {"session", "max", "by"},
}

const anyWindow = "{tumbling: 1h}, {hopping: 1h, every: 5m}, {session: 30m, max: 12h}, or none"

// window reads how a job cuts event time. from is the stream that it reads.
func (v value) window(from string, known streamColumns) window.Window {
	if v.isScalar("!!str") && v.node.Value == string(window.None) {
		return window.Window{Kind: window.None}
	}
	if v.node.Kind != yaml.MappingNode {
		v.unwanted(anyWindow)
		return window.Window{}
	}
	f := v.fields("tumbling", "hopping", "session", "every", "offset", "max", "by")
	kind, ok := f.windowKind()
	if !ok {
		return window.Window{}
	}
	for key, v := range f.of {
		if !slices.Contains(windowKeys[kind], key) {
			v.problemAt(v.key, "%s does not go with %s windows, which have %s", key, kind, strings.Join(windowKeys[kind], ", "))
		}
	}
	w := window.Window{Kind: kind}
	switch kind {
	case window.Tumbling:
		w.Size, w.Unit = f.of["tumbling"].tumbling()
		step := w.Size
		if w.Unit != "" {
			step = w.Unit.Least()
		}
		w.Offset = f.offset(step)
	case window.Hopping:
		w.Size, w.Every = f.hopping()
		w.Offset = f.offset(w.Every)
	case window.Session:
		w.Gap, w.Max = f.session()
		if by, ok := f.get("by"); ok {
			w.By = by.columnsOf(from, known)
		}
	}
	return w
}

// windowKind returns the kind of windows that has its key.
func (f fields) windowKind() (window.Kind, bool) {
	var found []window.Kind
	for _, kind := range []window.Kind{window.Tumbling, window.Hopping, window.Session} {
		if f.has(string(kind)) {
			found = append(found, kind)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], true
	case len(found) > 1:
		f.problem("says both %s and %s; want one of %s", found[0], found[1], anyWindow)
	case len(f.meant) == 0:
		f.problemAt(f.key, "want one of %s", anyWindow)
	}
	return "", false
}

// size reads a duration that is more than nothing, and short enough to be meant.
func (v value) size() time.Duration {
	d, ok := v.duration()
	switch {
	case !ok:
		return 0
	case d <= 0:
		v.problem("%v: want more than 0", d)
	case d%time.Microsecond != 0:
		v.problem("%v: want a whole number of microseconds, the finest that event times have", d)
	case d > window.Longest:
		v.problem("%s is longer than %d days, the most there can be", window.FormatDuration(d), window.Longest/(24*time.Hour))
	default:
		return d
	}
	return 0
}

// offset reads where windows begin, which is before the next one does.
func (f fields) offset(step time.Duration) time.Duration {
	v, ok := f.get("offset")
	if !ok {
		return 0
	}
	d := v.notNegative()
	switch {
	case d%time.Microsecond != 0:
		v.problem("%v: want a whole number of microseconds, the finest that event times have", d)
	case step > 0 && d >= step:
		v.problem("%s: windows begin every %s, so want less than that", window.FormatDuration(d), window.FormatDuration(step))
	}
	return d
}

func (f fields) hopping() (size, every time.Duration) {
	size = f.of["hopping"].size()
	v, ok := f.need("every", "how long after a window the next one begins, such as 5m")
	if !ok {
		return size, 0
	}
	every = v.size()
	switch {
	case size == 0 || every == 0:
	case every > size:
		v.problem("%s: windows of %s that begin so seldom leave out what lies between them; want %s at most", window.FormatDuration(every), window.FormatDuration(size), window.FormatDuration(size))
	case (size-1)/every >= window.MostWindows:
		v.problem("%s: each row would lie in %d windows of %s; want %d at most", window.FormatDuration(every), (size-1)/every+1, window.FormatDuration(size), window.MostWindows)
	}
	return size, every
}

func (f fields) session() (gap, longest time.Duration) {
	gap = f.of["session"].size()
	v, ok := f.need("max", "the longest that a session may last, such as 12h; it says how far outside of a partition rows are read")
	if !ok {
		return gap, 0
	}
	if longest = v.size(); longest > 0 && longest < gap {
		v.problem("%s is shorter than the gap of %s; want that at least", window.FormatDuration(longest), window.FormatDuration(gap))
	}
	return gap, longest
}

// timeOf reads the output column that says when a row of a job without windows is.
func (f fields) timeOf(kind window.Kind) string {
	v, ok := f.get("time")
	switch {
	case kind == "": // which has its problem already
	case kind != window.None && ok:
		v.problemAt(v.key, "is for jobs without windows (window: none): with windows, window_start says which partition a row belongs to")
	case ok:
		name, _ := v.text()
		return name
	case kind == window.None:
		return landing.ColumnEventTime
	}
	return ""
}

// reaches adds a problem where a job reads further than it should.
func (v value) reaches(j window.Job) {
	if n := j.Reaches(); n > window.MostPartitions {
		v.problem("the windows' length, dedup's within, and before and after reach over %d partitions of one %s; want %d at most: take larger partitions", n, j.Grain.Unit, window.MostPartitions)
	}
}

// columnsOf reads a list of columns that a stream's rows have.
func (v value) columnsOf(stream string, known streamColumns) []string {
	names := v.names("a list of columns such as [id]")
	for _, e := range names {
		if columns := known[stream]; len(columns) > 0 {
			e.declaredBy(stream, columns)
		}
	}
	return namesOf(names)
}
