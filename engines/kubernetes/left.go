package kubernetes

import (
	"strconv"
	"strings"

	"strandline/engines"
)

// cut is into how many slices a Job's plan is cut, and which of them are its indexes, in order: all,
// unless the Job was made of those that were left.
func (j batchJob) cut() (of int, numbers []int) {
	a := j.Metadata.Annotations
	if of, err := strconv.Atoi(a[annotationSlices]); err == nil {
		left, err := engines.ParseNumbers(a[annotationLeft], of)
		if err == nil && len(left) == j.Spec.Completions {
			return of, left
		}
	}
	for slice := range j.Spec.Completions {
		numbers = append(numbers, slice)
	}
	return j.Spec.Completions, numbers
}

// well are the slices that were run well: by this Job, or before it was made of the others.
func (j batchJob) well() (well []int) {
	of, numbers := j.cut()
	rest := map[int]bool{}
	for _, slice := range numbers {
		rest[slice] = true
	}
	for _, index := range indexes(j.Status.CompletedIndexes, len(numbers)) {
		delete(rest, numbers[index])
	}
	for slice := range of {
		if !rest[slice] {
			well = append(well, slice)
		}
	}
	return well
}

// indexes are those that a list of a Job's status has, such as "1,3-5". What the cluster writes otherwise is passed over.
func indexes(list string, limit int) (all []int) {
	for part := range strings.SplitSeq(list, ",") {
		numbers, err := engines.ParseNumbers(part, limit)
		if err == nil {
			all = append(all, numbers...)
		}
	}
	return all
}

// leftOf is a list of the slices that a Job is to be made of; "" where that is all.
func leftOf(ref engines.Ref, o engines.Options) string {
	if len(o.Left) == 0 || len(o.Left) == ref.Slices {
		return ""
	}
	return engines.FormatNumbers(o.Left)
}
