package log

import (
	"bytes"
	"testing"

	"strandline/internal/digest"
)

// The seal of a large checkpoint is of all its bytes, in their order.
func TestTheSealOfALargeCheckpointIsOfEveryPiece(t *testing.T) {
	object := bytes.Repeat([]byte("a state "), 3*sealedPiece/8)
	object[0]++ // no two pieces are the same
	object[sealedPiece]++
	object[sealedPiece+1]++
	object = object[:len(object)-7] // and the last one is short
	sealed := rawSeal(object)
	if err := checkRawSeal(checkpointFormat, sealed); err != nil {
		t.Fatal(err)
	}
	swapped := bytes.Clone(sealed)
	copy(swapped, sealed[sealedPiece:2*sealedPiece])
	copy(swapped[sealedPiece:], sealed[:sealedPiece])
	for name, damaged := range map[string][]byte{
		"pieces that changed places": swapped,
		"a cut":                      sealed[:len(sealed)-1],
		"a cut by a piece":           sealed[sealedPiece:],
		"a byte more":                append(bytes.Clone(sealed), 0),
	} {
		if checkRawSeal(checkpointFormat, damaged) == nil {
			t.Errorf("%s: not found out", name)
		}
	}
	for _, at := range []int{0, sealedPiece - 1, sealedPiece, 2 * sealedPiece, len(object) - 1, len(sealed) - 1} {
		damaged := bytes.Clone(sealed)
		damaged[at] ^= 1
		if checkRawSeal(checkpointFormat, damaged) == nil {
			t.Errorf("a damaged byte %d: not found out", at)
		}
	}
}

// Checkpoints of before are held against the seal that they were given.
func TestTheSealOfAnOlderFormatIsOfAllBytesAtOnce(t *testing.T) {
	object := bytes.Repeat([]byte("x"), 2*sealedPiece)
	sum := digest.OfBytes(object)
	sealed := append(object, sum[:]...)
	if checkRawSeal(oldestFormat, sealed) != nil || checkRawSeal(checkpointFormat, sealed) == nil {
		t.Fatal("a seal of one format is held against the other")
	}
}
