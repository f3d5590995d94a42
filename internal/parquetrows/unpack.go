package parquetrows

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"strandline/internal/jsonrow"
)

// maxLZ4Ratio is how many times smaller than what it stands for LZ4 can be.
const maxLZ4Ratio = 255

func errPageSize(size int) error {
	return fmt.Errorf("%w: a page does not unpack to the %d bytes that it says", jsonrow.ErrDamaged, size)
}

// unpack returns a reader of what packed stands for, which is to have size bytes. No
// more memory is taken than size asks for, or a window.
func unpack(codec format.CompressionCodec, packed []byte, size int) (io.Reader, error) {
	r := bytes.NewReader(packed)
	switch {
	case codec == format.Uncompressed || len(packed) == 0:
		return r, nil
	case codec == format.Snappy:
		return unpackSnappy(packed, size)
	case codec == format.Lz4Raw:
		return unpackLZ4(packed, size)
	case codec == format.Gzip:
		return damagedUnless(gzip.NewReader(r))
	case codec == format.Brotli:
		return brotli.NewReader(r), nil
	case codec == format.Zstd:
		return damagedUnless(zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(max(usualWindow, uint64(size), uint64(windowOf(codec, packed))))))
	}
	return nil, fmt.Errorf("%w: it is compressed with %s (use snappy, gzip, zstd, brotli or lz4_raw)", jsonrow.ErrUnsupported, codec)
}

// usualWindow and mostWindow are how many bytes of history zstd may ask to be kept without
// that being asked for, and at all.
const (
	usualWindow = 8 << 20
	mostWindow  = 128 << 20
)

// windowOf returns how many bytes of history what is packed asks to be kept, if that is
// more than usual.
func windowOf(codec format.CompressionCodec, packed []byte) int64 {
	var h zstd.Header
	if codec != format.Zstd || h.Decode(packed) != nil || h.SingleSegment || h.WindowSize <= usualWindow {
		return 0
	}
	return int64(min(h.WindowSize, mostWindow))
}

func damagedUnless[R io.Reader](r R, err error) (io.Reader, error) {
	if err != nil {
		return nil, jsonrow.Damaged(err)
	}
	return r, nil
}

func unpackSnappy(packed []byte, size int) (io.Reader, error) {
	if n, err := snappy.DecodedLen(packed); err != nil || n != size {
		return nil, errPageSize(size)
	}
	plain, err := snappy.Decode(nil, packed)
	if err != nil {
		return nil, jsonrow.Damaged(err)
	}
	return bytes.NewReader(plain), nil
}

func unpackLZ4(packed []byte, size int) (io.Reader, error) {
	if size > maxLZ4Ratio*len(packed)+64 {
		return nil, errPageSize(size)
	}
	plain := make([]byte, size)
	n, err := lz4.UncompressBlock(packed, plain)
	if err != nil {
		return nil, errPageSize(size)
	}
	return bytes.NewReader(plain[:n]), nil
}
