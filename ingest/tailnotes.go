package ingest

import "errors"

// What is reported of a file of which not all lands.
var (
	// ErrRotated is reported of a file that takes the place of another.
	ErrRotated = errors.New("it is another file than before, or was cut: it is read from its beginning")
	// ErrGoesOn is reported of another file that has the bytes of the one before.
	ErrGoesOn = errors.New("it is another file than before with the same bytes: only what comes after these lands (lines that are equal to those of an earlier log need something that tells them apart)")
	// ErrShorter is reported of a file that may be a copy.
	ErrShorter = errors.New("it begins as a log that has landed and is shorter: it is taken for a copy of it, and nothing of it lands before it differs (leave copies out by exclude)")
	// ErrParted is reported of a file that was a copy.
	ErrParted = errors.New("it begins as a log that has landed and goes on otherwise, and from where can't be told: nothing of it lands; write the lines that only it has to a new file")
)

// tailed is what is known of a file that was looked at, by its name.
type tailed struct {
	source  string // as which it landed last; "" while nothing of it has
	version fileVersion
	doubted bool   // what it is was not known when it was looked at last
	told    string // what was reported last
}

// replaces tells whether a version is of another file than the one before, or of one that
// was cut.
func (v fileVersion) replaces(before fileVersion) bool {
	return v.inode.number != before.inode.number || v.inode.device != before.inode.device || v.size < before.size
}

// note notes what a file is, and reports one that is another than its name had before.
func (t *TailLander) note(l *tailLog, r tailRange) {
	was := t.files[l.name]
	now := tailed{source: r.source, version: l.version}
	if was.source == r.source {
		now.told = was.told
	}
	t.files[l.name], t.holders[r.source] = now, l.file.Name()
	switch {
	case was.source == "":
	case was.source != r.source && r.from == 0:
		t.tell(l.name, ErrRotated)
	case was.source == r.source && l.version.replaces(was.version):
		t.tell(l.name, ErrGoesOn)
	}
}

// doubted notes that nothing of a file lands for now. What it is may be told by another
// file that was not looked at yet, so that it is looked at again before it is reported.
func (t *TailLander) doubted(l *tailLog, why error) error {
	unsure := errors.Is(why, ErrShorter) || errors.Is(why, ErrParted) || errors.Is(why, ErrLandedWhole)
	if !unsure && !errors.Is(why, errCopied) {
		return why
	}
	now := t.files[l.name]
	again := now.doubted && !l.version.replaces(now.version)
	now.version, now.doubted = l.version, unsure
	t.files[l.name] = now
	if unsure && !again {
		return ErrChanged
	}
	if unsure {
		t.tell(l.name, why)
	}
	return nil
}

// tell reports what is not what was reported of a file last.
func (t *TailLander) tell(name string, why error) {
	f := t.files[name]
	if f.told == why.Error() {
		return
	}
	f.told = why.Error()
	t.files[name] = f
	t.Report(name, why)
}
