package datafile

import (
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// codec is zstd at its fastest, with entropy coding of literals that didn't
// match anything. parquet-go's own leaves those as they are, which costs 40 %
// more bytes on event data and, by their weight, more time too.
type codec struct{}

var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithZeroFrames(true),
		zstd.WithEncoderCRC(false), // pages have a checksum of their own
	)
})

func (codec) String() string { return "ZSTD" }

func (codec) CompressionCodec() format.CompressionCodec { return format.Zstd }

func (codec) Encode(dst, src []byte) ([]byte, error) {
	e, err := encoder()
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(src, dst[:0]), nil
}

func (codec) Decode(dst, src []byte) ([]byte, error) { return parquet.Zstd.Decode(dst, src) }
