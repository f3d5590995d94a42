package log

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// The seal of a large checkpoint is of all its bytes, in their order.
func TestTheSealOfALargeCheckpointIsOfEveryByte(t *testing.T) {
	object := bytes.Repeat([]byte("a state "), 3*sealedPiece/8)
	object[0]++ // no two pieces are the same
	object[sealedPiece]++
	object[sealedPiece+1]++
	object = object[:len(object)-7] // and the last one is short
	for format := oldestFormat; format <= checkpointFormat; format++ {
		sealed := slices.Concat(object, rawSum(format, object))
		if whole, err := unsealRaw(format, sealed); err != nil || !bytes.Equal(whole, object) {
			t.Fatalf("format %d: %v", format, err)
		}
		swapped := bytes.Clone(sealed)
		copy(swapped, sealed[sealedPiece:2*sealedPiece])
		copy(swapped[sealedPiece:], sealed[:sealedPiece])
		for name, damaged := range map[string][]byte{
			"pieces that changed places": swapped,
			"a cut":                      sealed[:len(sealed)-1],
			"a cut by a piece":           sealed[sealedPiece:],
			"a byte more":                append(bytes.Clone(sealed), 0),
			"next to nothing":            sealed[:3],
		} {
			if _, err := unsealRaw(format, damaged); err == nil {
				t.Errorf("format %d: %s: not found out", format, name)
			}
		}
		for _, at := range []int{0, sealedPiece - 1, sealedPiece, 2 * sealedPiece, len(object) - 1, len(object), len(sealed) - 1} {
			damaged := bytes.Clone(sealed)
			damaged[at] ^= 1
			if _, err := unsealRaw(format, damaged); err == nil {
				t.Errorf("format %d: a damaged byte %d: not found out", format, at)
			}
		}
	}
}

// Checkpoints of before are held against the seal that they were given.
func TestEachFormatOfCheckpointsHasASealOfItsOwn(t *testing.T) {
	object := bytes.Repeat([]byte("x"), 2*sealedPiece)
	pieces := digest.OfBytes(object[:sealedPiece])
	sum, twice := digest.OfBytes(object), digest.OfBytes(slices.Concat(pieces[:], pieces[:]))
	checksum := digest.ChecksumOf(object)
	seals := map[int][]byte{2: sum[:], 3: twice[:], 4: checksum[:]}
	for of, seal := range seals {
		for format := range seals {
			if _, err := unsealRaw(format, slices.Concat(object, seal)); (err == nil) != (format == of) {
				t.Errorf("the seal of format %d, taken for one of %d: %v", of, format, err)
			}
		}
	}
}

func TestADamagedHeadOfACheckpointIsToldInWords(t *testing.T) {
	l := New(objstore.NewMemory(), "p", Options{})
	whole, err := encodeCheckpoint(Head{Number: 7}, &values{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.decodeCheckpoint(whole, 7); err != nil {
		t.Fatal(err)
	}
	for what, head := range map[string]string{"nothing": "", "half": `{"format":5,"num`, "another letter": `{"format":falze}` + "\n", "text": "zeros\n"} {
		_, err := l.decodeCheckpoint([]byte(head), 7)
		if want := l.checkpointKey(7) + ": its head is not what a checkpoint begins with"; !errors.Is(err, ErrCorrupt) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
}
