package datafile

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// encoder is of zstd at its fastest, with entropy coding of literals that didn't
// match anything. parquet-go's own leaves those as they are, which costs 40 %
// more bytes on event data and, by their weight, more time too.
var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithZeroFrames(true),
		zstd.WithEncoderCRC(false), // pages have a checksum of their own
	)
})

// compress writes src, compressed, over dst.
func compress(dst, src []byte) ([]byte, error) {
	e, err := encoder()
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(src, dst[:0]), nil
}
