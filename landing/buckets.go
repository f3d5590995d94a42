package landing

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"

	"strandline/internal/packed"
)

// Buckets are those of a segment, ascending by hour. They lie packed, a column for each
// field, as they come in a checkpoint: who opens a stream takes over those of all its
// segments without looking at them one by one. They never change.
type Buckets struct{ in *bucketColumns } // nil: there are none

// bucketColumns are what lies in bytes, which are a function of the buckets alone.
type bucketColumns struct {
	bytes       []byte
	len         int
	hours, rows packed.Ints
	sums        packed.Blocks // Sum, Moment
}

// BucketsOf packs a list that ascends by hour.
func BucketsOf(list []Bucket) Buckets {
	if len(list) == 0 {
		return Buckets{}
	}
	var w packed.Writer
	hours, rows := make([]int64, len(list)), make([]int64, len(list))
	for i, b := range list {
		hours[i], rows[i] = b.Hour, b.Rows
	}
	w.Uint(uint64(len(list)))
	w.Ints(hours)
	w.Ints(rows)
	for _, b := range list {
		w.Sum(b.Sum)
		w.Sum(b.Moment)
	}
	return readBuckets(packed.NewReader(w.Bytes))
}

// readBuckets reads what packed writes.
func readBuckets(r *packed.Reader) Buckets {
	from := r.Rest()
	c := &bucketColumns{len: r.Count(2 * packed.SumBytes)}
	c.hours, c.rows, c.sums = r.Ints(c.len), r.Ints(c.len), r.Blocks(c.len, 2*packed.SumBytes)
	if c.len == 0 || r.Err() != nil {
		return Buckets{}
	}
	c.bytes = from[:len(from)-len(r.Rest())]
	return Buckets{c}
}

// packed writes the buckets for a checkpoint.
func (l Buckets) packed(w *packed.Writer) {
	if l.in == nil {
		w.Append(emptyBuckets)
		return
	}
	w.Append(l.in.bytes)
}

// emptyBuckets is how no buckets are packed.
var emptyBuckets = func() []byte {
	var w packed.Writer
	w.Uint(0)
	w.Ints(nil)
	w.Ints(nil)
	return w.Bytes
}()

// Len counts them.
func (l Buckets) Len() int {
	if l.in == nil {
		return 0
	}
	return l.in.len
}

// At returns the one at i.
func (l Buckets) At(i int) Bucket {
	sums := l.in.sums.At(i)
	return Bucket{l.in.hours.At(i), l.in.rows.At(i), packed.SumOf(sums), packed.SumOf(sums[packed.SumBytes:])}
}

// Hour returns the hour of the one at i.
func (l Buckets) Hour(i int) int64 { return l.in.hours.At(i) }

// Hours lists the hours.
func (l Buckets) Hours() []int64 {
	hours := make([]int64, l.Len())
	for i := range hours {
		hours[i] = l.Hour(i)
	}
	return hours
}

// All yields them, ascending by hour.
func (l Buckets) All() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for i := range l.Len() {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// within yields those of a range of hours.
func (l Buckets) within(r Hours) iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		n := l.Len()
		for i := sort.Search(n, func(i int) bool { return l.Hour(i) >= r.From }); i < n && l.Hour(i) < r.To; i++ {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// List lists them, for the caller to change.
func (l Buckets) List() []Bucket {
	if l.in == nil {
		return nil
	}
	return slices.AppendSeq(make([]Bucket, 0, l.Len()), l.All())
}

// Equal tells whether others are the same.
func (l Buckets) Equal(others Buckets) bool {
	return l.Len() == others.Len() && (l.in == nil || string(l.in.bytes) == string(others.in.bytes))
}

// has tells whether one of them is of an hour.
func (l Buckets) has(hour int64) bool { return l.Len() > 0 && l.Hour(l.find(hour)) == hour }

// of returns that of an hour, which is one of theirs.
func (l Buckets) of(hour int64) Bucket { return l.At(l.find(hour)) }

// find returns where that of an hour is, if there is one.
func (l Buckets) find(hour int64) int {
	return sort.Search(l.Len()-1, func(i int) bool { return l.Hour(i) >= hour })
}

// check tells whether they ascend by hour and count that many rows.
func (l Buckets) check(rows int64) error {
	left := rows
	for i := range l.Len() {
		n := l.in.rows.At(i)
		if n <= 0 || i > 0 && l.Hour(i) <= l.Hour(i-1) {
			return errors.New("bucket-hours out of order")
		}
		if left -= n; left < 0 {
			break
		}
	}
	if left != 0 {
		return fmt.Errorf("bucket-hours don't count %d rows", rows)
	}
	return nil
}

// MarshalJSON writes a list.
func (l Buckets) MarshalJSON() ([]byte, error) {
	if l.in == nil {
		return []byte("null"), nil
	}
	return json.Marshal(l.List())
}

// UnmarshalJSON reads a list.
func (l *Buckets) UnmarshalJSON(text []byte) error {
	var list []Bucket
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*l = BucketsOf(list)
	return nil
}
