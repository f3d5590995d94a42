package window

import (
	"errors"
	"fmt"
	"testing"
)

func TestInPartsDoesEachOnceAndTellsTheFirstError(t *testing.T) {
	for _, n := range []int{0, 1, leastPart - 1, leastPart, 2*leastPart + 1, 9 * leastPart} {
		done := make([]int, n)
		err := inParts(n, func(i int) error {
			done[i]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, times := range done {
			if times != 1 {
				t.Fatalf("%d of %d was done %d times", i, n, times)
			}
		}
	}
	fault := errors.New("a fault")
	n := 9 * leastPart
	err := inParts(n, func(i int) error {
		if i == 7 || i == n-1 {
			return fmt.Errorf("%w at %d", fault, i)
		}
		return nil
	})
	if !errors.Is(err, fault) || err.Error() != "a fault at 7" {
		t.Fatalf("got %v", err)
	}
}
