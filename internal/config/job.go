package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"strandline/internal/datafile"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// jobs reads what is computed. others are the tables of other processes' jobs, and kept
// is what jobs keep of their tables' versions where they don't say.
func (v value) jobs(known streamColumns, others []string, kept manifests.Retention) []Job {
	from := readable{known, map[string]bool{}}
	for _, name := range others {
		from.tables[name] = true
	}
	entries := v.entries("a map of jobs")
	for _, e := range entries {
		if _, both := known[e.name]; both {
			e.problemAt(e.key, "a stream has this name too, and SQL could not tell the two apart; give the job another")
		}
		if from.tables[e.name] {
			e.problemAt(e.key, "it is named in tables, which are those of jobs that are declared elsewhere")
		}
	}
	for _, e := range entries {
		from.tables[e.name] = true
	}
	var out []Job
	for _, e := range entries {
		out = append(out, e.job(from, kept))
	}
	v.cycles(out)
	return out
}

func (e entry) job(from readable, kept manifests.Retention) Job {
	e.named("job")
	f := e.fields("from", "lookups", "window", "time", "partition", "timezone", "dedup", "key", "sql", "every", "emit", "late", "checks", "retention", "schedule", "description")
	j := Job{Job: window.Job{Name: e.name, Every: DefaultEvery, Inputs: window.FromStream("")}, Retention: kept}
	if v, ok := f.need("from", "the stream it reads"); ok {
		j.Inputs = v.inputs(e.name, from)
	}
	if v, ok := f.get("lookups"); ok && !v.isNothing() {
		j.LookupFiles = v.lookups(j.Inputs, from)
	}
	known := from.streams
	stream := "" // whose columns are known
	if len(j.Inputs) == 1 {
		stream = j.Inputs[0].Name
	}
	j.Grain = f.grain()
	if v, ok := f.need("window", anyWindow); ok {
		j.Window = v.window(stream, known).InZone(j.Grain.Zone)
		v.fitsDays(j.Window)
	}
	j.Time = f.timeOf(j.Window.Kind)
	if v, ok := f.get("dedup"); ok {
		j.Dedup = v.dedup(stream, known, j.Job)
	}
	if v, ok := f.get("window"); ok {
		v.reaches(j.Job)
	}
	f.alone(j.Job)
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
	if v, ok := f.get("schedule"); ok && !v.isNothing() {
		j.Schedules = v.schedules(j.Grain.Zone)
	}
	if v, ok := f.get("description"); ok {
		j.Description, _ = v.anyText()
	}
	return j
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
