package log

import (
	"runtime"
	"slices"
	"sync"

	"strandline/internal/digest"
)

// sealedPiece is how many bytes of a checkpoint are digested by themselves.
const sealedPiece = 1 << 20

// rawSum is what seals bytes of a checkpoint: the SHA-256 of those of its pieces, one
// after another, so that several processors can make it; of a single piece it is that
// one's own. Before format 3 it was that of all bytes.
func rawSum(format int, bytes []byte) digest.Hash {
	if format < 3 || len(bytes) <= sealedPiece {
		return digest.OfBytes(bytes)
	}
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
	var all []byte
	for _, sum := range sums {
		all = append(all, sum[:]...)
	}
	return digest.OfBytes(all)
}

// rawSeal returns a checkpoint with its seal at the end.
func rawSeal(object []byte) []byte {
	sum := rawSum(checkpointFormat, object)
	return append(object, sum[:]...)
}

// checkRawSeal refuses an object that is not byte for byte what rawSeal made, or what
// it made at an older format.
func checkRawSeal(format int, object []byte) error {
	at := len(object) - len(digest.Hash{})
	if at < 0 || rawSum(format, object[:at]) != digest.Hash(object[at:]) {
		return errSeal
	}
	return nil
}
