package kubernetes

import (
	"strconv"
	"strings"
)

// countIndexes counts what a list such as "1,3-5,7" names. What is no number
// counts nothing: the list is the cluster's, and only shown.
func countIndexes(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			continue
		}
		to := from
		if isRange {
			if to, err = strconv.Atoi(last); err != nil {
				continue
			}
		}
		n += max(0, to-from+1)
	}
	return n
}
