package window

import (
	"errors"
	"fmt"
	"testing"
)

func TestThePartsAreTheWholeAndTheFirstErrorIsTold(t *testing.T) {
	for _, n := range []int{0, 1, leastPart - 1, leastPart, 2*leastPart + 1, 9 * leastPart} {
		parts, err := inParts(n, func(from, to int) ([2]int, error) { return [2]int{from, to}, nil })
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, part := range parts {
			if part[0] != end || part[1] < end {
				t.Fatalf("%d are done in the parts %v", n, parts)
			}
			end = part[1]
		}
		if end != n {
			t.Fatalf("%d are done in the parts %v", n, parts)
		}
	}
	fault := errors.New("a fault")
	_, err := inParts(9*leastPart, func(from, _ int) (int, error) { return 0, fmt.Errorf("%w at %d", fault, from) })
	if !errors.Is(err, fault) || err.Error() != "a fault at 0" {
		t.Fatalf("got %v", err)
	}
}
