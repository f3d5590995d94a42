package manifests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// The oldest programs wrote the whole state as JSON, in checkpoints of a format that later
// ones have too. A packed state begins with the length of a text that begins with '{'.
var jsonBegins = []byte(`{"`)

func isJSONState(data []byte) bool { return bytes.HasPrefix(data, jsonBegins) }

// unmarshalJSON reads the state of a checkpoint of the oldest programs, which had the
// receipts by their partitions.
func (s *State) unmarshalJSON(data []byte) error {
	var in struct {
		stored
		Partitions map[string]Receipt `json:"partitions"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	list := make([]Receipt, 0, len(in.Partitions))
	for _, name := range slices.Sorted(maps.Keys(in.Partitions)) {
		r := in.Partitions[name]
		if r.Partition != name || !r.Start.Before(r.End) {
			return fmt.Errorf("partition %s holds the receipt of %q, [%s, %s)", name, r.Partition, r.Start, r.End)
		}
		list = append(list, r)
	}
	s.take(in.stored, receiptsOf(list))
	return nil
}
