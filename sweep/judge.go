package sweep

import (
	"time"

	"strandline/internal/objstore"
)

// Verdict is what becomes of an object.
type Verdict string

// The verdicts.
const (
	// Named: a kept version of a table, or a landing log, names the file. It stays.
	Named Verdict = "named"
	// Young: nothing names it, but it is younger than the grace. It stays.
	Young Verdict = "young"
	// Unnamed: nothing names it and nothing will. It is condemned, and goes.
	Unnamed Verdict = "unnamed"
	// Condemned: a sweep that was broken off has left it. It goes.
	Condemned Verdict = "condemned"
	// Foreign: nothing that Strandline wrote, or of a stream or table that has no
	// log. It is never touched.
	Foreign Verdict = "foreign"
	// Proof is left of a proof of the store that was broken off. It goes.
	Proof Verdict = "proof"
)

// goes tells whether an object is removed.
func (v Verdict) goes() bool { return v == Unnamed || v == Condemned || v == Proof }

// names is what a log says of the files of its stream or table.
type names interface {
	// Names tells whether the log names a file.
	Names(id string) bool
	// Condemned tells whether a sweep has condemned it.
	Condemned(id string) bool
}

// judge says what becomes of a data file. It is pure.
func judge(of names, id string, o objstore.Object, old time.Time) Verdict {
	switch {
	case of.Names(id):
		return Named
	case of.Condemned(id):
		return Condemned
	case !isOld(o, old):
		return Young
	}
	return Unnamed
}

// isOld tells whether an object was written at old or before. One of unknown age
// was not.
func isOld(o objstore.Object, old time.Time) bool {
	return !o.Modified.IsZero() && !o.Modified.After(old)
}
