// Package condemn remembers which files are being removed, so that nobody can
// name one of them any more.
//
// A file that no log entry names is removed in two steps: an entry condemns it,
// and only then is it deleted. Whoever appends an entry that names files holds
// them against the newest roll first. So of a sweep and a writer that was asleep
// one comes second and is refused, whatever their clocks say.
//
// A roll forgets after Remembered. That is safe since a writer does not name a
// file that it brought up longer than MaxUnnamed ago: the file was condemned
// after it was brought up, so what is forgotten is too old to be named.
package condemn

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// Err says that a file may not be named any more, since a sweep removes it or may
// have removed it. What it holds must be made again.
var Err = errors.New("a sweep may have removed the file before it was named: run it again, and sweep with a longer --grace if it takes that long")

const (
	// Remembered is how long a condemned file stays so, by the times of the
	// sentences.
	Remembered = 7 * 24 * time.Hour
	// MaxUnnamed is how old a file may be when it is named for the first time. The
	// day between the two is for clocks that run at different speeds and for the
	// append itself.
	MaxUnnamed = 6 * 24 * time.Hour
)

// Sentence condemns files. It is part of a log entry.
type Sentence struct {
	At    time.Time `json:"at"`    // by the store's clock
	Files []string  `json:"files"` // their ids
}

// Roll holds the sentences that a log remembers. The zero Roll is empty. It is
// stored as JSON.
type Roll struct {
	sentences []Sentence // ascending by At
	files     map[string]bool
}

// Add adds a sentence, and forgets those that are old enough by its time. A
// sentence that is older than the last counts as being of the same time.
func (r *Roll) Add(s Sentence) {
	if n := len(r.sentences); n > 0 && s.At.Before(r.sentences[n-1].At) {
		s.At = r.sentences[n-1].At
	}
	if r.files == nil {
		r.files = map[string]bool{}
	}
	for len(r.sentences) > 0 && s.At.Sub(r.sentences[0].At) >= Remembered {
		for _, id := range r.sentences[0].Files {
			delete(r.files, id)
		}
		r.sentences = r.sentences[1:]
	}
	for _, id := range s.Files {
		r.files[id] = true
	}
	r.sentences = append(r.sentences, s)
}

// Has tells whether a file is condemned.
func (r *Roll) Has(id string) bool { return r.files[id] }

// Files returns the ids of the condemned files. The map is the caller's own.
func (r *Roll) Files() map[string]bool { return maps.Clone(r.files) }

// Check is Err if the file is condemned.
func (r *Roll) Check(id string) error {
	if r.files[id] {
		return fmt.Errorf("file %s is condemned: %w", id, Err)
	}
	return nil
}

// CheckAge is Err if a file that was brought up at since is too old to be named
// for the first time now. Both are times of one process. Where its clock was set
// back, or stood still in sleep, the longer of the two ways to tell counts.
func CheckAge(since, now time.Time) error {
	age := max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
	if age > MaxUnnamed {
		return fmt.Errorf("files were brought up %v ago, the most is %v: %w", age.Round(time.Minute), MaxUnnamed, Err)
	}
	return nil
}

// MarshalJSON writes the roll for a checkpoint.
func (r *Roll) MarshalJSON() ([]byte, error) { return json.Marshal(r.sentences) }

// UnmarshalJSON reads the roll of a checkpoint.
func (r *Roll) UnmarshalJSON(data []byte) error {
	var sentences []Sentence
	if err := json.Unmarshal(data, &sentences); err != nil {
		return err
	}
	*r = Roll{}
	for _, s := range sentences {
		r.Add(s)
	}
	return nil
}
