package landing

import (
	"encoding/json"
	"errors"
)

// change is what a landing log entry does to the state. An entry is exactly one.
type change interface {
	// follows tells, changing nothing, whether the change may come next.
	follows(*State) error
	// fold makes the change, which follows.
	fold(*State)
	// named lists the ids of the files that nothing named before.
	named() []string
}

// record is the body of an entry as it is read: one of its parts is there. An
// arrival that claims nothing but its content has no name of its own around it. One
// that claims more, says how far it brings the stream or has others beside it does, so
// that a program which does not know of such, and would forget it, does not take it for
// the other.
type record struct {
	*Commit
	Claimed    *Commit        `json:"claimed,omitempty"`
	Marked     *Commit        `json:"marked,omitempty"`
	Grouped    *Commit        `json:"grouped,omitempty"`
	Compaction *Compaction    `json:"compaction,omitempty"`
	Condemned  *condemnation  `json:"condemned,omitempty"`
	Expiry     *Expiry        `json:"expired,omitempty"`
	Archive    *Archive       `json:"archive,omitempty"`
	Watermark  *watermarkRule `json:"watermark,omitempty"`
}

func decodeChange(body []byte) (change, error) {
	var r record
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	return r.change()
}

// change returns the one part that is there.
func (r *record) change() (change, error) {
	var found []change
	if r.Commit != nil {
		found = append(found, r.Commit)
	}
	if r.Claimed != nil {
		found = append(found, r.Claimed)
	}
	if r.Marked != nil {
		found = append(found, r.Marked)
	}
	if r.Grouped != nil {
		found = append(found, r.Grouped)
	}
	if r.Compaction != nil {
		found = append(found, r.Compaction)
	}
	if r.Condemned != nil {
		found = append(found, r.Condemned)
	}
	if r.Expiry != nil {
		found = append(found, r.Expiry)
	}
	if r.Archive != nil {
		found = append(found, r.Archive)
	}
	if r.Watermark != nil {
		found = append(found, r.Watermark)
	}
	if len(found) != 1 {
		return nil, errors.New("an entry is not one of an arrival, a compaction, a sweep, an expiry, an archive or a watermark; a newer version of Strandline may have written it")
	}
	return found[0], nil
}
