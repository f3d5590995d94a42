package config

import (
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Dir is a folder whose files are landed as they come.
type Dir struct {
	Path    string        // absolute
	Include []string      // patterns as path.Match reads them; empty: every file
	Exclude []string      // patterns of files to leave alone, even if included
	Settle  time.Duration // how long a file must be unchanged to be whole; with Tail how often it is read
	// AfterLanding is what becomes of files that have landed: keep, delete, or move.
	AfterLanding string
	MoveTo       string // absolute; empty unless files are moved
	Tail         bool   // files are appended to, and are read line by line
}

// DefaultSettle is the settle time of a watched folder that names none.
const DefaultSettle = time.Second

func (v value) watched(format Format) *Dir {
	d := &Dir{Settle: DefaultSettle, AfterLanding: "keep"}
	if v.isText() {
		d.Path = v.watchable()
		return d
	}
	f := v.fieldsOr("a folder", "path", "include", "exclude", "settle", "after_landing", "tail")
	if v, ok := f.need("path", "the folder to watch"); ok {
		d.Path = v.watchable()
	}
	d.Include, d.Exclude = f.picked()
	if v, ok := f.get("settle"); ok {
		d.Settle = v.notNegative()
	}
	if v, ok := f.get("tail"); ok {
		if d.Tail, _ = v.boolean(); d.Tail && format != FormatNDJSON {
			v.problem("only ndjson can be read line by line as it is appended; leave tail out, or write whole files")
		}
	}
	if v, ok := f.get("after_landing"); ok {
		v.afterLanding(d)
	}
	return d
}

// watchable returns a folder that has nothing to do with the lake's.
func (v value) watchable() string {
	folder, ok := v.folder()
	if lake := v.lakeAt.Folder; ok && lake != "" && (isWithin(folder, lake) || isWithin(lake, folder)) {
		v.problem("the folder and the lake lie one in the other, so the lake would land its own files: want folders side by side")
	}
	return folder
}

// isWithin tells whether a folder is another or lies in it.
func isWithin(folder, in string) bool {
	rel, err := filepath.Rel(in, folder)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func (v value) afterLanding(d *Dir) {
	if v.isText() {
		d.AfterLanding, _ = v.oneOf("keep", "delete", "move")
		if d.AfterLanding == "move" {
			v.problem("where to? Write after_landing: {move: FOLDER}")
		}
	} else if to, ok := v.fieldsOr("keep, delete", "move").need("move", "the folder that files are moved to, or write keep or delete"); ok {
		d.AfterLanding = "move"
		if d.MoveTo, _ = to.folder(); d.MoveTo == d.Path && d.Path != "" {
			to.problem("files can't be moved to the folder that they are in")
		}
	}
	if d.Tail && d.AfterLanding != "keep" {
		v.problem("files that are appended to (tail) have to be kept")
	}
}

// picked returns the patterns of what to take and what to leave.
func (f fields) picked() (include, exclude []string) {
	if v, ok := f.get("include"); ok {
		include = v.patterns()
	}
	if v, ok := f.get("exclude"); ok {
		exclude = v.patterns()
	}
	return include, exclude
}

func (v value) patterns() []string {
	var out []string
	for _, item := range v.items(`a list of patterns such as ["*.ndjson"]`, true) {
		text, ok := item.text()
		if !ok {
			continue
		}
		if _, err := path.Match(text, ""); err != nil {
			item.problem(`%q is not a pattern (* any characters, ? one, [a-z] a range, \ before one that is meant)`, text)
		}
		out = append(out, text)
	}
	return out
}
