package parquetrows

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// prefixed puts the length of what is packed before it.
func prefixed(packed []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(packed))), packed...)
}

// hybrid packs booleans in runs and packed bits as a seed has it, and returns what
// they are.
func hybrid(r *rand.Rand) (packed []byte, values []bool) {
	for range r.IntN(8) {
		if count := 1 + r.IntN(40); r.IntN(2) == 0 {
			value := r.IntN(2) == 0
			packed = append(binary.AppendUvarint(packed, uint64(count)<<1), 0)
			if value {
				packed[len(packed)-1] = []byte{1, allOnes}[r.IntN(2)]
			}
			values = append(values, slices.Repeat([]bool{value}, count)...)
			continue
		}
		eights := 1 + r.IntN(4)
		packed = binary.AppendUvarint(packed, uint64(eights)<<1|1)
		for range eights {
			eight := byte(r.IntN(256))
			packed = append(packed, eight)
			for bit := range 8 {
				values = append(values, eight>>bit&1 == 1)
			}
		}
	}
	return packed, values
}

func TestBooleansInRunsOfAnyLengthAreRead(t *testing.T) {
	for seed := range uint64(500) {
		packed, values := hybrid(rand.New(rand.NewPCG(seed, 1)))
		most := len(values) - int(seed)%min(8, len(values)+1) // a last byte may be filled up
		plain, err := plainOfRuns(prefixed(packed), most)
		if err != nil || len(plain) != (most+7)/8 {
			t.Fatalf("seed %d: %d values became %d bytes: %v", seed, most, len(plain), err)
		}
		for i, want := range values[:most] {
			if got := plain[i/8]>>(i%8)&1 == 1; got != want {
				t.Fatalf("seed %d: value %d is %v", seed, i, got)
			}
		}
	}
}

func TestBooleansThatDontFitTogetherAreRefused(t *testing.T) {
	for name, page := range map[string][]byte{
		"no length":           {1, 0, 0},
		"length beyond":       {9, 0, 0, 0, 2, 1},
		"no value of a run":   prefixed([]byte{200, 1}),
		"value that is none":  prefixed([]byte{200, 1, 2}),
		"header that is cut":  prefixed([]byte{0x80}),
		"packed bits cut":     prefixed([]byte{7, 0xff, 0xff}),
		"packed bits of 2^62": prefixed([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1}),
	} {
		if _, err := plainOfRuns(page, 100); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	if plain, err := plainOfRuns(prefixed([]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1}), 9); len(plain) != 2 || err != nil {
		t.Errorf("a run of 2^62: %d bytes, %v", len(plain), err)
	}
}
