package landing

import (
	"bytes"
	"encoding/json"
	"sort"

	"strandline/internal/packed"
)

// The oldest programs wrote the whole state as JSON, in checkpoints of a format that later
// ones have too. A packed state begins with the length of a text that begins with '{'.
var jsonBegins = []byte(`{"`)

func isJSONState(data []byte) bool { return bytes.HasPrefix(data, jsonBegins) }

// unmarshalJSON reads the state of a checkpoint of the oldest programs, which knew neither
// archives nor claims nor marks.
func (s *State) unmarshalJSON(data []byte) error {
	var in struct {
		stored
		Segments     []*Segment `json:"segments"`
		Arrivals     []Arrival  `json:"arrivals"`
		ExpiredHours []Bucket   `json:"expired_hours"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	markMerged(in.Segments, in.Arrivals)
	return s.take(newState(), in.stored, contents{segments: in.Segments, expired: BucketsOf(in.ExpiredHours), arrivals: in.Arrivals})
}

// Older programs packed buckets and steps one value after another: see layoutValues.

// markMerged marks the segments that hold rows of several arrivals: nothing but a
// compaction makes such. Both are in order of position.
func markMerged(segments []*Segment, arrivals []Arrival) {
	for _, g := range segments {
		first := sort.Search(len(arrivals), func(i int) bool { return arrivals[i].To > g.Base })
		g.Merged = first < len(arrivals) && g.End() > arrivals[first].To
	}
}

// leastBucket is the least bytes that a bucket takes.
const leastBucket = 1 + 1 + 2*packed.SumBytes

func unpackBuckets(r *packed.Reader) Buckets {
	list := room[Bucket](r, leastBucket)
	before := int64(0)
	for i := range list {
		list[i] = Bucket{Hour: before + r.Int(), Rows: r.Int(), Sum: r.Sum(), Moment: r.Sum()}
		before = list[i].Hour
	}
	return BucketsOf(list)
}

func unpackSteps(r *packed.Reader) steps {
	list := room[step](r, 2)
	before := step{}
	for i := range list {
		list[i] = step{before.from + Position(r.Int()), before.at + r.Int()}
		before = list[i]
	}
	return steps{newest: list}
}
