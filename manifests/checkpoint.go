package manifests

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/packed"
)

// stored is what checkpoints hold of a State beside its receipts, as JSON: there is
// little of it, and it may get more fields. The receipts follow, packed.
type stored struct {
	// Layout says how the receipts are packed: 0 is receipts_old.go, and 1 what
	// packReceipts writes.
	Layout int `json:"layout,omitempty"`

	Version    Version           `json:"version"`
	At         time.Time         `json:"at"`
	Definition Definition        `json:"definition"`
	Codes      codes             `json:"codes,omitempty"`
	Failures   map[string]Failed `json:"failures"`
	Refused    int64             `json:"refused"`

	Held    map[string]Candidate `json:"held,omitempty"`
	Aside   map[string]Aside     `json:"aside,omitempty"`
	Rebuilt Version              `json:"rebuilt,omitempty"`

	Oldest    Version       `json:"oldest,omitempty"`
	Condemned *condemn.Roll `json:"condemned,omitempty"`
	Repeated  []byte        `json:"repeated,omitempty"` // what packRepeated writes
	Efforts   Efforts       `json:"efforts,omitempty"`
}

// layout is how this program packs receipts.
const layout = 1

// AppendBinary writes the state for a checkpoint.
func (s *State) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(stored{
		layout, s.version, s.at, s.definition, s.codes, s.failures, s.refused, s.held, s.aside, s.rebuilt,
		s.oldest, &s.condemned, packRepeated(s.partitions), s.efforts,
	})
	if err != nil {
		return nil, err
	}
	w := packed.Writer{Bytes: b}
	w.Text(string(text))
	if err := packReceipts(&w, s.partitions); err != nil {
		return nil, err
	}
	return w.Bytes, nil
}

// UnmarshalBinary reads the state of a checkpoint. Receipts stay packed in it.
func (s *State) UnmarshalBinary(data []byte) error {
	if isJSONState(data) {
		return s.unmarshalJSON(data)
	}
	var in stored
	r := packed.NewReader(data)
	if err := json.Unmarshal([]byte(r.Text()), &in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	unpack := unpackReceipts
	if in.Layout == 0 {
		unpack = unpackOldReceipts
	}
	partitions, err := unpack(r)
	if err == nil {
		err = unpackRepeated(in.Repeated, partitions)
	}
	if err != nil {
		return err
	}
	s.take(in, partitions)
	return r.Done()
}

// take makes the state of what was read.
func (s *State) take(in stored, partitions receipts) {
	*s = *newState()
	s.version, s.at, s.definition, s.refused = in.Version, in.At, in.Definition, in.Refused
	s.codes, s.rebuilt, s.oldest, s.partitions = in.Codes, in.Rebuilt, in.Oldest, partitions
	s.efforts = in.Efforts
	if in.Condemned != nil {
		s.condemned = *in.Condemned
	}
	maps.Copy(s.failures, in.Failures)
	maps.Copy(s.held, in.Held)
	maps.Copy(s.aside, in.Aside)
}

// check tells whether everything is filed under the partition that it names, and
// receipts can be read.
func (in *stored) check() error {
	if in.Layout < 0 || in.Layout > layout {
		return fmt.Errorf("receipts are packed in a way %d that is not known", in.Layout)
	}
	for name, f := range in.Failures {
		if f.Partition != name {
			return fmt.Errorf("partition %s holds the failure of %q", name, f.Partition)
		}
	}
	for name, c := range in.Held {
		if c.Receipt.Partition != name {
			return fmt.Errorf("partition %s holds the candidate of %q", name, c.Receipt.Partition)
		}
	}
	return nil
}
