package log

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"strandline/internal/digest"
)

// sealedPiece is how many bytes of a checkpoint of format 3 are digested by themselves.
const sealedPiece = 1 << 20

// rawSum is what seals bytes of a checkpoint, as its format says: from format 4 on their
// Checksum. Nothing is lost by that: whoever rewrites a checkpoint can seal it again, with
// any digest.
func rawSum(format int, bytes []byte) []byte {
	switch {
	case format >= 4:
		sum := digest.ChecksumOf(bytes)
		return sum[:]
	case format == 3 && len(bytes) > sealedPiece:
		bytes = pieceSums(bytes)
	}
	sum := digest.OfBytes(bytes)
	return sum[:]
}

// pieceSums returns the SHA-256s of the pieces of bytes, one after another. All
// processors make them at the same time.
func pieceSums(bytes []byte) (all []byte) {
	pieces := slices.Collect(slices.Chunk(bytes, sealedPiece))
	sums := make([]digest.Hash, len(pieces))
	workers := min(runtime.GOMAXPROCS(0), len(pieces))
	var work sync.WaitGroup
	for worker := range workers {
		work.Go(func() {
			for i := worker; i < len(pieces); i += workers {
				sums[i] = digest.OfBytes(pieces[i])
			}
		})
	}
	work.Wait()
	for _, sum := range sums {
		all = append(all, sum[:]...)
	}
	return all
}

// rawSeal returns a checkpoint with its seal at the end.
func rawSeal(object []byte) []byte { return append(object, rawSum(checkpointFormat, object)...) }

// unsealRaw returns a checkpoint without its seal. It refuses an object that is not byte
// for byte what rawSeal made, or what it made at an older format.
func unsealRaw(format int, object []byte) ([]byte, error) {
	size := len(digest.Checksum{})
	if format < 4 {
		size = len(digest.Hash{})
	}
	at := len(object) - size
	if at < 0 || !bytes.Equal(rawSum(format, object[:at]), object[at:]) {
		return nil, errSeal
	}
	return object[:at], nil
}
