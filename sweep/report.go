package sweep

import (
	"strandline/internal/log"
	"strandline/manifests"
)

// Tally counts objects and their bytes.
type Tally struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

func (t *Tally) add(bytes int64) {
	t.Objects++
	t.Bytes += bytes
}

// Part is what a sweep did, or would do, to one stream or table.
type Part struct {
	Area  Area   `json:"-"`
	Name  string `json:"-"`
	Named Tally  `json:"named"`   // files that stay, since they are named
	Young Tally  `json:"young"`   // files that stay, since they are younger than the grace
	Swept Tally  `json:"removed"` // files that go
	// Oldest is the oldest version of a table that is kept, and Expired how many
	// went with this sweep.
	Oldest  manifests.Version `json:"oldest,omitempty"`
	Expired manifests.Version `json:"expired,omitempty"`
	// Waiting are the versions that are not to be kept, but take no file with them: they
	// expire when there are 100.
	Waiting manifests.Version `json:"waiting,omitempty"`
	// Asked are the versions that are kept since requests that have not ended read them, or older ones.
	Asked manifests.Version `json:"kept_for_requests,omitempty"`
	// Trimmed are the entries and checkpoints of its log that nobody reads any more.
	Trimmed Tally `json:"trimmed"`
	// Trouble says why it was left as it is.
	Trouble string `json:"trouble,omitempty"`
}

// Idle tells whether the sweep had nothing to do to it.
func (p *Part) Idle() bool {
	return p.Swept.Objects == 0 && p.Expired == 0 && p.Trimmed.Objects == 0 && p.Trouble == ""
}

func (p *Part) add(v Verdict, bytes int64) {
	switch {
	case v == Named:
		p.Named.add(bytes)
	case v == Young:
		p.Young.add(bytes)
	case v.goes():
		p.Swept.add(bytes)
	}
}

// trim takes in what was trimmed of the log, and hands the error on.
func (p *Part) trim(t log.Trim, err error) error {
	p.Trimmed = Tally{Objects: int64(len(t.Entries) + len(t.Checkpoints)), Bytes: t.Bytes}
	return err
}

// Report is what a sweep did, or would do.
type Report struct {
	Parts   []Part
	Proofs  Tally // left of proofs of the store
	Foreign Tally // never touched
}
