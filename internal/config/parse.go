package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"strandline/manifests"
)

// reading is one pass over one file.
type reading struct {
	problems
	dir string // absolute folder of the file
	env func(string) (string, bool)

	lakeAt    Lake // once it has been read
	lakeReach S3
}

// Parse reads a configuration from its bytes. file names it in errors and, by
// its folder, says where relative paths start. The error joins a *Problem for
// each thing that is wrong, in the order of the file.
func Parse(data []byte, file string, env func(string) (string, bool)) (*Config, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, &Problem{File: file, Line: 1, Column: 1, Err: err, Text: fmt.Sprintf("find its folder: %v", err)}
	}
	r := &reading{problems: problems{file: file}, dir: dir, env: env}
	c := &Config{Path: file, Dir: dir}
	if root := r.document(data); root != nil {
		r.top(value{r, root, root, ""}, c)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return c, nil
}

func (r *reading) top(v value, c *Config) {
	f := v.fields("lake", "s3", "engine", "maintenance", "backfill", "retention", "serve", "kubernetes", "streams", "tables", "jobs")
	c.Engine.MemoryLimit = DefaultMemoryLimit
	c.Maintenance, c.Backfill = defaultMaintenance, defaultBackfill
	if v, ok := f.need("lake", "a folder, or s3://bucket/prefix"); ok {
		c.Lake = v.lake()
		r.lakeAt = c.Lake
	}
	if v, ok := f.get("s3"); ok && !v.isNothing() {
		c.S3 = v.s3(c.Lake)
		r.lakeReach = c.S3
	}
	if v, ok := f.get("engine"); ok && !v.isNothing() {
		c.Engine = v.engine()
	}
	if v, ok := f.get("maintenance"); ok && !v.isNothing() {
		c.Maintenance = v.maintenance()
	}
	if v, ok := f.get("backfill"); ok && !v.isNothing() {
		c.Backfill = v.backfill()
	}
	var kept manifests.Retention
	if v, ok := f.get("retention"); ok && !v.isNothing() {
		kept = v.retention()
	}
	if v, ok := f.get("serve"); ok && !v.isNothing() {
		c.Serve = v.serve()
	}
	if v, ok := f.get("kubernetes"); ok && !v.isNothing() {
		c.Kubernetes = v.kubernetes()
	}
	known := streamColumns{}
	if v, ok := f.get("tables"); ok && !v.isNothing() {
		c.Tables = v.tables()
	}
	streams, ok := f.get("streams")
	if len(c.Tables) == 0 { // a process that only goes on from tables lands nothing
		streams, ok = f.need("streams", "a map with a stream or more")
	}
	if ok {
		c.Streams = streams.streams(known, c.Serve)
	}
	if v, ok := f.get("jobs"); ok && !v.isNothing() {
		c.Jobs = v.jobs(known, c.Tables, kept)
	}
}

// tables reads the names of tables that others compute.
func (v value) tables() (names []string) {
	for _, item := range v.items("a list of tables of jobs that other processes run, such as [orders_hourly]", false) {
		name, ok := item.text()
		switch {
		case !ok:
		case slices.Contains(names, name):
			item.problem("%q is here twice", name)
		case (entry{name, item}).named("table"):
			names = append(names, name)
		}
	}
	return names
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// named adds a problem where an entry's key cannot name a stream or a table:
// names are parts of object keys and of SQL, in either case without quoting.
func (e entry) named(what string) bool {
	if namePattern.MatchString(e.name) {
		return true
	}
	e.add(e.key.Line, e.key.Column, "%s name %q: want a small letter a–z first, then a–z, 0–9 and _, at most 63 in all", what, e.name)
	return false
}

// under returns a path that starts from the configuration's folder.
func (r *reading) under(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.dir, path)
}

// folder returns a value's absolute folder.
func (v value) folder() (string, bool) {
	path, ok := v.text()
	if !ok {
		return "", false
	}
	if path[0] == '~' {
		v.problem("~ is not expanded; write ${HOME} instead")
		return "", false
	}
	return v.under(path), true
}
