package landing

import (
	"fmt"

	"strandline/internal/objstore"
)

// rowGroupRows is about how many rows a row group holds: small buckets share
// one, and a bucket with more has groups of its own, so that a partition's rows
// are read without their neighbours'.
const rowGroupRows = 32 << 10

// rowGroups returns the exclusive end rows of the row groups of a segment.
func rowGroups(buckets []Bucket) []int {
	var ends []int
	start, end := 0, 0
	for _, b := range buckets {
		if end > start && (end-start)+int(b.Rows) > rowGroupRows {
			ends = append(ends, end)
			start = end
		}
		end += int(b.Rows)
		for end-start > 4*rowGroupRows {
			start += 2 * rowGroupRows
			ends = append(ends, start)
		}
	}
	if end > start {
		ends = append(ends, end)
	}
	return ends
}

// closeSegment writes the rows gathered so far as a segment file in scratch.
func (in *Intake) closeSegment() error {
	if in.rows.rows == 0 {
		return nil
	}
	id, err := objstore.FreshID()
	if err != nil {
		return err
	}
	written, buckets, err := in.rows.write(in.path(id))
	if err != nil {
		return fmt.Errorf("write a segment of %d rows: %w", in.rows.rows, err)
	}
	in.segments = append(in.segments, Segment{
		ID: id, Rows: int64(in.rows.rows), Bytes: written.Bytes, Digest: written.Digest,
		Columns: in.stream.spec.Columns, Fields: in.stream.spec.Fields, Buckets: BucketsOf(buckets),
	})
	in.room.give(in.rows.reset())
	return nil
}
