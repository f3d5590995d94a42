package engines

import (
	"slices"
	"testing"
)

func TestNumbersAreWrittenAsTheyAreRead(t *testing.T) {
	for list, want := range map[string][]int{"": nil, "0": {0}, "0-2,7": {0, 1, 2, 7}, "1,3-4,6": {1, 3, 4, 6}} {
		got, err := ParseNumbers(list, 8)
		if err != nil || !slices.Equal(got, want) || FormatNumbers(want) != list {
			t.Errorf("%q: got %v, %v, written as %q", list, got, err, FormatNumbers(want))
		}
	}
	if got, err := ParseNumbers("1,2-3", 8); err != nil || !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, list := range []string{"x", "1-", "-1", "2,1", "1,1", "3-2", "8", "0-8", "1,,2", "1, 2", "1-2-3", "99999999999999999999"} {
		if got, err := ParseNumbers(list, 8); err == nil {
			t.Errorf("%q: got %v", list, got)
		}
	}
}
