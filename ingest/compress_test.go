package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"strandline/internal/digest"
	"strandline/landing"
)

func gzipped(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(plain) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func snapped(plain []byte) []byte {
	var b bytes.Buffer
	w := s2.NewWriter(&b, s2.WriterSnappyCompat())
	_, _ = w.Write(plain) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func zstded(plain []byte, opts ...zstd.EOption) []byte {
	w, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return w.EncodeAll(plain, nil)
}

func TestIdentityIsThatOfTheDecompressedContent(t *testing.T) {
	plain := bytes.Repeat([]byte("{\"time\":1}\n"), 20_000)
	half := len(plain) / 2
	want := landing.Identity{Digest: digest.OfBytes(plain), Size: int64(len(plain))}
	skippable := []byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc")
	for name, source := range map[string][]byte{
		"plain":              plain,
		"gzip":               gzipped(plain),
		"gzip of 2 members":  append(gzipped(plain[:half]), gzipped(plain[half:])...),
		"zstd":               zstded(plain),
		"zstd of 2 frames":   append(zstded(plain[:half]), zstded(plain[half:])...),
		"zstd after skipped": append(skippable, zstded(plain)...),
		"snappy":             snapped(plain),
		"snappy of 2":        append(snapped(plain[:half]), snapped(plain[half:])...),
	} {
		for _, r := range []io.Reader{bytes.NewReader(source), iotest.OneByteReader(bytes.NewReader(source))} {
			if got, err := Identify(t.Context(), r, Options{}); err != nil || got != want {
				t.Errorf("%s: got %v, %v", name, got, err)
			}
		}
	}
}

func TestTruncatedCompressionIsTruncatedWhereverItIsCut(t *testing.T) {
	plain := bytes.Repeat([]byte("{\"time\":1517365101235,\"id\":\"x\"}\n"), 50)
	for name, source := range map[string][]byte{"gzip": gzipped(plain), "zstd": zstded(plain), "snappy": snapped(plain)} {
		first := 4 // the fewest bytes that tell what it is
		if name == "snappy" {
			first = len(snappyMagic) + 1 // without a chunk it is whole
		}
		for n := first; n < len(source); n++ {
			if _, err := Identify(t.Context(), bytes.NewReader(source[:n]), Options{}); !errors.Is(err, ErrTruncated) || !errors.Is(err, ErrInput) {
				t.Errorf("%s cut at %d of %d: got %v", name, n, len(source), err)
			}
		}
	}
}

func TestDamagedCompressionIsNotTakenForTruncated(t *testing.T) {
	plain := bytes.Repeat([]byte("{\"time\":1517365101235,\"id\":\"x\"}\n"), 50)
	for name, source := range map[string][]byte{"gzip": gzipped(plain), "zstd": zstded(plain), "snappy": snapped(plain)} {
		source[len(source)-2] ^= 1 // of the checksum, or of gzip's length
		if _, err := Identify(t.Context(), bytes.NewReader(source), Options{}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
		trailed := append(gzipped(plain), "garbage after the end"...)
		if _, err := Identify(t.Context(), bytes.NewReader(trailed), Options{}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("gzip with garbage: got %v", err)
		}
	}
}

func TestFaultOfTheDiskIsNotBlamedOnTheData(t *testing.T) {
	for _, source := range [][]byte{gzipped([]byte("text")), zstded([]byte("text")), snapped([]byte("text")), []byte("text")} {
		r := io.MultiReader(bytes.NewReader(source[:len(source)-1]), iotest.ErrReader(io.ErrNoProgress))
		if _, err := Identify(t.Context(), r, Options{}); !errors.Is(err, io.ErrNoProgress) || errors.Is(err, ErrInput) {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Identify(ctx, bytes.NewReader(gzipped(nil)), Options{}); !errors.Is(err, context.Canceled) || errors.Is(err, ErrInput) {
		t.Errorf("got %v", err)
	}
}

func TestZstdMayNotAskForMoreMemoryThanAllowed(t *testing.T) {
	source := zstded(make([]byte, 8<<20), zstd.WithWindowSize(4<<20), zstd.WithSingleSegment(false))
	if _, err := Identify(t.Context(), bytes.NewReader(source), Options{MaxWindow: 1 << 20}); !errors.Is(err, ErrFormat) {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := Identify(t.Context(), bytes.NewReader(source), Options{}); err != nil {
		t.Errorf("with the default: %v", err)
	}
}

func TestForeignFormatsAreNamedAndRefused(t *testing.T) {
	for _, format := range []Format{FormatNDJSON, FormatJSON, FormatCSV} {
		d, err := NewDecoder(nastySpec(), Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range foreign {
			_, err := d.Decode(strings.NewReader(f.magic+"...."), &collect{})
			if !errors.Is(err, ErrFormat) || !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), f.name) {
				t.Errorf("%s, %q: got %v", format, f.magic, err)
			}
		}
	}
}
