package landing

import "strandline/internal/packed"

// Older programs packed buckets and steps one value after another: see layoutValues.

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
