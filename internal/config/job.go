package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"strandline/internal/datafile"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// jobs reads what is computed. kept is what jobs keep of their tables' versions where
// they don't say.
func (v value) jobs(known streamColumns, kept manifests.Retention) []Job {
	var out []Job
	for _, e := range v.entries("a map of jobs") {
		if _, both := known[e.name]; both {
			e.problemAt(e.key, "a stream has this name too, and SQL could not tell the two apart; give the job another")
		}
		out = append(out, e.job(known, kept))
	}
	return out
}

func (e entry) job(known streamColumns, kept manifests.Retention) Job {
	e.named("job")
	f := e.fields("from", "window", "partition", "dedup", "key", "sql", "every", "checks", "retention", "description")
	j := Job{Job: window.Job{Name: e.name, Every: DefaultEvery}, Retention: kept}
	if v, ok := f.need("from", "the stream it reads"); ok {
		j.From = v.from(known)
	}
	if v, ok := f.need("partition", "15m, hour, day, week, month or year"); ok {
		j.Grain.Unit = v.unit()
	}
	if v, ok := f.need("window", "{tumbling: 1h}, for windows of that size"); ok {
		j.Window = v.window(j.Grain.Unit)
	}
	if v, ok := f.get("dedup"); ok {
		j.Dedup = v.dedup(j.From, known)
	}
	if v, ok := f.need("key", "the output columns that tell the table's rows apart, window_start among them"); ok {
		j.Key = v.tableKey()
	}
	if v, ok := f.need("sql", "the SELECT that computes the table"); ok {
		j.SQL, j.SQLLine = v.sql(), v.node.Line
	}
	if v, ok := f.get("every"); ok {
		j.Every = v.notNegative()
	}
	if v, ok := f.get("checks"); ok && !v.isNothing() {
		j.Checks = v.checks()
	}
	if v, ok := f.get("retention"); ok && !v.isNothing() {
		j.Retention = v.retention()
	}
	if v, ok := f.get("description"); ok {
		j.Description, _ = v.anyText()
	}
	return j
}

// from returns the name of a declared stream, or nothing and a problem.
func (v value) from(known streamColumns) string {
	name, ok := v.text()
	if !ok {
		return ""
	}
	if _, declared := known[name]; declared {
		return name
	}
	names := slices.Sorted(maps.Keys(known))
	v.problem("no stream %q is declared%s", name, nearestOr("stream", name, names))
	return ""
}

// unit reads the unit of a job's partitions.
func (v value) unit() window.Unit {
	var choices []string
	for _, unit := range window.Units {
		choices = append(choices, string(unit))
	}
	unit, _ := v.oneOf(choices...)
	return window.Unit(unit)
}

// longest is the largest window of each unit: its shortest partition.
var longest = map[window.Unit]struct {
	size time.Duration
	text string
}{
	window.UnitQuarter: {15 * time.Minute, "15m"},
	window.UnitHour:    {time.Hour, "1h"},
	window.UnitDay:     {24 * time.Hour, "1d"},
	window.UnitWeek:    {7 * 24 * time.Hour, "7d"},
	window.UnitMonth:   {28 * 24 * time.Hour, "28d"},
	window.UnitYear:    {365 * 24 * time.Hour, "365d"},
}

func (v value) window(unit window.Unit) window.Window {
	f := v.fields("tumbling")
	size, ok := f.need("tumbling", "the windows' size, such as 1h")
	if !ok {
		return window.Window{}
	}
	d, ok := size.duration()
	limit, bounded := longest[unit]
	switch {
	case !ok:
	case d <= 0:
		size.problem("%v: want a size greater than 0", d)
	case d%time.Microsecond != 0:
		size.problem("%v: want a whole number of microseconds, the finest that event times have", d)
	case bounded && d > limit.size:
		size.problem("%s is longer than a partition of one %s holds (at most %s); take a smaller window or a larger partition", brief(d), unit, limit.text)
	}
	return window.Window{Kind: window.Tumbling, Size: d}
}

func (v value) dedup(from string, known streamColumns) *window.Dedup {
	f := v.fields("key", "keep")
	d := &window.Dedup{}
	if v, ok := f.need("key", "the columns that say when two rows are the same event"); ok {
		names := v.names("a list of columns such as [id]")
		d.Key = namesOf(names)
		for _, e := range names {
			if columns := known[from]; len(columns) > 0 {
				e.declaredBy(from, columns)
			}
		}
	}
	if v, ok := f.need("keep", "first or last, by position"); ok {
		keep, _ := v.oneOf(string(window.KeepFirst), string(window.KeepLast))
		d.Keep = window.Keep(keep)
	}
	return d
}

// tableKey reads a table's key.
func (v value) tableKey() []string {
	names := namesOf(v.names("a list of output columns such as [window_start, id]"))
	if len(names) > 0 && !slices.Contains(names, columnWindowStart) {
		v.problem("window_start is missing: the key tells apart the rows of the whole table, and so also those of different windows; add window_start")
	}
	return names
}

// sql reads a job's SQL as it stands: a $ in it is SQL's own.
func (v value) sql() string {
	text, ok := v.rawText()
	switch {
	case ok && strings.TrimSpace(text) == "":
		v.problem("is empty")
	case strings.ContainsRune(text, 0):
		v.problem("has a zero byte")
	}
	return text
}

// names reads a list of column names, each once and at least one.
func (v value) names(want string) []entry {
	var out []entry
	seen := map[string]bool{}
	for _, item := range v.items(want, false) {
		name, ok := item.text()
		if !ok {
			continue
		}
		if low := strings.ToLower(name); seen[low] {
			item.problem("column %q is named twice", name)
		} else {
			seen[low] = true
			out = append(out, entry{name, item})
		}
	}
	if v.isEmpty(yaml.SequenceNode) {
		v.problem("names no column")
	}
	return out
}

func namesOf(entries []entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.name)
	}
	return out
}

// declaredBy adds a problem where an entry is no column of a stream's rows.
func (e entry) declaredBy(stream string, columns []datafile.Column) {
	choices := []string{landing.ColumnEventTime, landing.ColumnSource, landing.ColumnSourcePosition}
	for _, c := range columns {
		choices = append(choices, c.Name)
	}
	if !slices.Contains(choices, e.name) {
		e.problem("stream %s declares no column %q%s", stream, e.name, DidYouMean(e.name, choices))
	}
}
