package engines

import (
	"fmt"
	"strconv"
	"strings"
)

// FormatNumbers writes numbers of slices, which ascend, as a list such as "0-2,7".
func FormatNumbers(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		part := strconv.Itoa(numbers[i])
		if last > i {
			part += "-" + strconv.Itoa(numbers[last])
		}
		parts = append(parts, part)
		i = last + 1
	}
	return strings.Join(parts, ",")
}

// ParseNumbers reads a list as FormatNumbers writes it, of numbers that ascend from 0 and are below a limit. "" is
// none.
func ParseNumbers(list string, limit int) (numbers []int, err error) {
	if list == "" {
		return nil, nil
	}
	next := 0
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, lastErr := strconv.Atoi(last)
		if err != nil || lastErr != nil || from < next || to < from || to >= limit {
			return nil, fmt.Errorf("%q: want numbers of 0 to %d that ascend, such as 0-2,7", list, limit-1)
		}
		for ; from <= to; from++ {
			numbers = append(numbers, from)
		}
		next = from
	}
	return numbers, nil
}
