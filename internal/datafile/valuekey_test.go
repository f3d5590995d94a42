package datafile

import (
	"math/rand/v2"
	"testing"
)

// Texts of few different bytes, of all lengths that are kept whole and some more: equal
// keys are of equal texts, unless they say that they are not whole.
func TestKeysTellValuesApart(t *testing.T) {
	random, seen := rand.New(rand.NewPCG(1, 0)), map[valueKey]string{}
	for range 200_000 {
		text := make([]byte, random.IntN(wholeText+4))
		for i := range text {
			text[i] = byte(random.IntN(2)) * 0x80
		}
		v := NewVector(Type{Kind: Blob})
		if err := v.appendText(text); err != nil {
			t.Fatal(err)
		}
		k := valueKeyOf(v, 0)
		if before, known := seen[k]; known && before != string(text) && k.isWhole() {
			t.Fatalf("%x and %x have the same key", before, text)
		}
		seen[k] = string(text)
	}
}
