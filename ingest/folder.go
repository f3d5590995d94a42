package ingest

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folder is a folder whose files a stream takes in, sub-folders included.
// Links to files are followed, links to folders are not.
//
// Hidden files and folders, and names that programs give to what they are
// still writing (".part", ".tmp", "~" …), are never taken. The sure way to
// hand over a file is to write it under such a name and rename it; any other
// is taken once it has not changed for Settle.
type Folder struct {
	Dir string
	// Include and Exclude are glob patterns over slash paths relative to Dir,
	// in which ** stands for any number of folders; one without a slash is
	// matched against the name alone. A file is taken if it matches some
	// Include (any file where there is none) and no Exclude.
	Include, Exclude []string
	// Settle is how long size and modification time must have stood still.
	// Default 2 s.
	Settle time.Duration
	// Rescan is how often the folder is listed in case a notification was
	// lost, and when a file that could not be landed is tried again. Default 30 s.
	Rescan time.Duration
	// Patience is how long a file may stay unfinished (its compressed data
	// ends too early, or its format's own end is missing) before that is reported.
	// Default 1 min.
	Patience time.Duration
	// AfterLanding is what becomes of a file that has landed. Default ActionKeep.
	AfterLanding Action
	// MoveTo is the folder that ActionMove moves files to. It may be in Dir; then it is
	// not watched.
	MoveTo string
	// Tail says that files are appended to and never settle: what is new is handed over
	// every Settle.
	Tail bool
}

func (f Folder) withDefaults() Folder {
	f.Dir, f.MoveTo = filepath.Clean(f.Dir), filepath.Clean(f.MoveTo)
	for _, d := range []struct {
		to    *time.Duration
		value time.Duration
	}{{&f.Settle, 2 * time.Second}, {&f.Rescan, 30 * time.Second}, {&f.Patience, time.Minute}} {
		if *d.to <= 0 {
			*d.to = d.value
		}
	}
	return f
}

// Validate tells what is wrong with the folder's description. Whether the
// folder is there is only looked at when it is watched.
func (f Folder) Validate() error {
	if f.Dir == "" {
		return fmt.Errorf("watched folder: it has no path")
	}
	for _, pattern := range slices.Concat(f.Include, f.Exclude) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("watched folder %q: pattern %q is no glob pattern", f.Dir, pattern)
		}
	}
	switch f.AfterLanding {
	case "", ActionKeep:
		return nil
	case ActionMove:
		if f.MoveTo == "" {
			return fmt.Errorf("watched folder %q: it does not say where to move files that have landed", f.Dir)
		}
	case ActionDelete:
	default:
		return fmt.Errorf("watched folder %q: %q can't be done with files that have landed (want %s, %s or %s)", f.Dir, f.AfterLanding, ActionKeep, ActionDelete, ActionMove)
	}
	if f.Tail {
		return fmt.Errorf("watched folder %q: its files are appended to, so they have to be kept", f.Dir)
	}
	return nil
}

// enters tells whether a folder is one to look into.
func (f Folder) enters(dir string) bool {
	return dir == f.Dir || isAsideFolder(dir) || !isHidden(filepath.Base(dir)) && (f.AfterLanding != ActionMove || dir != f.MoveTo)
}

// name returns the slash path by which a file of the folder is known.
func (f Folder) name(file string) string {
	rel, err := filepath.Rel(f.Dir, file)
	if err != nil {
		rel = file
	}
	return filepath.ToSlash(rel)
}

// takes tells whether the file of that name is one to take.
func (f Folder) takes(name string) bool { return Picked(name, f.Include, f.Exclude) }

// Picked tells whether patterns pick a slash path, as Folder says: it matches some of
// include, if there are any, none of exclude, and is not the name of something hidden,
// in a hidden folder, or still being written.
func Picked(name string, include, exclude []string) bool {
	matches := func(pattern string) bool { return matchGlob(pattern, name) }
	return !isTemporary(path.Base(name)) && !liesHidden(path.Dir(name)) &&
		(len(include) == 0 || slices.ContainsFunc(include, matches)) &&
		!slices.ContainsFunc(exclude, matches)
}

// isTemporary tells names of files that are hidden or still being written.
func isTemporary(base string) bool {
	endings := []string{"~", ".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".filepart", ".swp", ".swx", ".swo"}
	return isHidden(base) || strings.HasPrefix(base, "~$") || strings.HasPrefix(base, "#") ||
		slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(strings.ToLower(base), ending) })
}

// liesHidden tells whether a folder is hidden, or lies in one that is.
func liesHidden(dir string) bool {
	return dir != "." && slices.ContainsFunc(strings.Split(dir, "/"), isHidden)
}

func isHidden(base string) bool { return strings.HasPrefix(base, ".") }

// matchGlob matches a slash path; ** stands for any number of folders.
func matchGlob(pattern, name string) bool {
	if !strings.Contains(pattern, "/") && pattern != "**" {
		name = path.Base(name)
	}
	return matchParts(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchParts(pattern, name []string) bool {
	for ; len(pattern) > 0; pattern, name = pattern[1:], name[1:] {
		if pattern[0] == "**" {
			for skipped := range len(name) + 1 {
				if matchParts(pattern[1:], name[skipped:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], name[0]); !ok {
			return false
		}
	}
	return len(name) == 0
}
