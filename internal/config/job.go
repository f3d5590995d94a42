package config

import (
	"maps"
	"slices"
	"strings"

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
	f := e.fields("from", "window", "time", "partition", "timezone", "dedup", "key", "sql", "every", "emit", "late", "checks", "retention", "description")
	j := Job{Job: window.Job{Name: e.name, Every: DefaultEvery, Inputs: window.FromStream("")}, Retention: kept}
	if v, ok := f.need("from", "the stream it reads"); ok {
		j.Inputs = window.FromStream(v.from(known))
	}
	j.Grain = f.grain()
	if v, ok := f.need("window", anyWindow); ok {
		j.Window = v.window(j.Inputs[0].Name, known).InZone(j.Grain.Zone)
		v.fitsDays(j.Window)
	}
	j.Time = f.timeOf(j.Window.Kind)
	if v, ok := f.get("dedup"); ok {
		j.Dedup = v.dedup(j.Inputs[0].Name, known, j.Window.Kind)
	}
	if v, ok := f.get("window"); ok {
		v.reaches(j.Job)
	}
	if v, ok := f.need("key", "the output columns that tell the table's rows apart, window_start among them"); ok {
		j.Key = v.tableKey(j.Window.Kind)
	}
	if v, ok := f.need("sql", "the SELECT that computes the table"); ok {
		j.SQL, j.SQLLine = v.sql(), v.node.Line
	}
	if v, ok := f.get("every"); ok {
		j.Every = v.notNegative()
	}
	f.emission(&j.Job)
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

// tableKey reads a table's key.
func (v value) tableKey(kind window.Kind) []string {
	names := namesOf(v.names("a list of output columns such as [window_start, id]"))
	if kind != window.None && kind != "" && len(names) > 0 && !slices.Contains(names, columnWindowStart) {
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
