package config

import "strandline/window"

// dedup reads which rows of a job's stream count.
func (v value) dedup(from string, known streamColumns, j window.Job) *window.Dedup {
	f := v.fields("key", "keep", "by", "within")
	d := &window.Dedup{}
	if v, ok := f.need("key", "the columns that say when two rows are the same event"); ok {
		d.Key = v.columnsOf(from, known)
	}
	if v, ok := f.need("keep", "first or last, by position"); ok {
		keep, _ := v.oneOf(string(window.KeepFirst), string(window.KeepLast))
		d.Keep = window.Keep(keep)
	}
	if v, ok := f.get("by"); ok {
		d.By = v.columnOf(from, known)
	}
	if v, ok := f.get("within"); ok {
		d.Within = v.size()
	} else if who := readsBeside(j); who != "" {
		f.problemAt(f.key, "within is missing: %s read rows of the partitions beside their own, so say how far apart rows of one key are the same event, such as 48h", who)
	}
	return d
}

// readsBeside names what of a job has rows that several partitions read, if there is any.
func readsBeside(j window.Job) string {
	if j.Window.Kind == window.Hopping || j.Window.Kind == window.Session {
		return string(j.Window.Kind) + " windows"
	}
	for _, in := range j.Inputs {
		if in.Before+in.After > 0 {
			return "before and after"
		}
	}
	return ""
}

// columnOf reads the name of a column that a stream's rows have.
func (v value) columnOf(stream string, known streamColumns) string {
	name, ok := v.text()
	if columns := known[stream]; ok && len(columns) > 0 {
		entry{name, v}.declaredBy(stream, columns)
	}
	return name
}
