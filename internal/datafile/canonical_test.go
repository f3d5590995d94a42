package datafile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// numbersOfAllLengths are numbers about every power of 2 and of 10.
func numbersOfAllLengths() []int64 {
	numbers := []int64{math.MinInt64, math.MaxInt64}
	for shift := range 63 {
		numbers = append(numbers, 1<<shift)
	}
	for power := int64(1); power <= math.MaxInt64/10; power *= 10 {
		numbers = append(numbers, 10*power)
	}
	for _, n := range numbers[2:] {
		numbers = append(numbers, n-1, n+1, -n, -n-1, -n+1)
	}
	return numbers
}

func canonicalOf(text string) string { return strconv.Itoa(len(text)) + ":" + text }

func TestNumbersOfAllLengthsAreEncodedWhole(t *testing.T) {
	const before = "before"
	for _, n := range numbersOfAllLengths() {
		if got, want := string(AppendInteger([]byte(before), n)), before+canonicalOf(strconv.FormatInt(n, 10)); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
		if got, want := string(appendNumber([]byte(before), uint64(n), false)), before+canonicalOf(strconv.FormatUint(uint64(n), 10)); got != want {
			t.Errorf("%d is %s, want %s", uint64(n), got, want)
		}
	}
}

func TestDecimalsOfAllLengthsAreEncodedWhole(t *testing.T) {
	for precision := 1; precision <= maxDigits64; precision++ {
		for scale := 0; scale <= precision; scale++ {
			typ := Type{Kind: Decimal, Precision: precision, Scale: scale}
			for _, n := range numbersOfAllLengths() {
				if n == math.MinInt64 || uint64(max(n, -n)) >= powers[precision] {
					continue
				}
				value := wide(n).decimal(precision)
				if got, want := string(AppendCanonical(nil, typ, value)), canonicalOf(decimalText(n, typ)); got != want {
					t.Fatalf("%d as %s is %s, want %s", n, typ, got, want)
				}
			}
		}
	}
}

// decimalText writes n / 10^scale as SQL does.
func decimalText(n int64, t Type) string {
	sign, whole := "", 0
	if n < 0 {
		sign, n = "-", -n
	}
	if t.Precision > t.Scale {
		whole = 1
	}
	digits := fmt.Sprintf("%0*d", t.Scale+whole, n)
	point := len(digits) - t.Scale
	return sign + strings.TrimSuffix(digits[:point]+"."+digits[point:], ".")
}
