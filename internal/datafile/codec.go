package datafile

import (
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// Effort is how a file's texts are compressed. Numbers are packed by their encoding
// already, so that compressing them too would cost much and save a hundredth.
type Effort int

const (
	// Lasting takes a fifth fewer bytes than Passing.
	Lasting Effort = iota
	// Passing takes a sixth of Lasting's processor time. It is for files that are read
	// a few times and then merged with others.
	Passing
)

func (e Effort) codec() format.CompressionCodec {
	if e == Passing {
		return format.Snappy
	}
	return format.Zstd
}

// compress writes src, compressed, over dst.
func (e Effort) compress(dst, src []byte) ([]byte, error) {
	if e == Passing {
		return s2.EncodeSnappy(dst[:cap(dst)], src), nil
	}
	z, err := encoder()
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(src, dst[:0]), nil
}

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
