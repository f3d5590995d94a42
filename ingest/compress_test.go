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

// Each format that is read as another is told as what it is, or seems to be, and with what helps: to land it as
// that, or to say what a body is. So little that it may be the beginning of a typed file is cut.
func TestWhatIsReadAsAnotherFormatIsNamed(t *testing.T) {
	const json, text = "seems to be JSON, and is read as ", "seems to be text, such as CSV, and is read as "
	for source, want := range map[string]map[Format]string{
		`{"time":1,"id":"a"}` + "\n": {FormatCSV: json, FormatParquet: json, FormatArrow: json, FormatAvro: json},
		"\ufeff [\n{\n\"time\":1}]":  {FormatCSV: json, FormatParquet: json, FormatArrow: json, FormatAvro: json},
		"time,id\n1,\u00fc\n":        {FormatParquet: text, FormatArrow: text, FormatAvro: text, FormatJSON: "does not begin as JSON does"},
		"PAR1\x15\x00\x15":           {FormatNDJSON: "is Parquet, and is read as ", FormatArrow: "is Parquet, and is read as ", FormatAvro: "is Parquet, and is read as ", FormatParquet: "too early"},
		"Obj\x01\x04\x16avro":        {FormatCSV: "is Avro, and is read as ", FormatParquet: "is Avro, and is read as ", FormatArrow: "is Avro, and is read as ", FormatAvro: "too early"},
		"ARROW1\x00\x00\x10":         {FormatJSON: "is an Arrow IPC file", FormatParquet: "is an Arrow IPC file", FormatAvro: "is an Arrow IPC file", FormatArrow: "too early"},
		"\xff\xff\xff\xff\x10\x00":   {FormatCSV: "is an Arrow IPC stream", FormatParquet: "is an Arrow IPC stream", FormatAvro: "is an Arrow IPC stream", FormatArrow: "too early"},
		"PK\x03\x04....":             {FormatCSV: "unpack or convert it", FormatParquet: "is a zip archive, and is read as parquet: unpack", FormatArrow: "a zip", FormatAvro: "a zip"},
		"PAR":                        {FormatParquet: "too early", FormatAvro: text},
		"":                           {FormatParquet: "too early", FormatArrow: "too early", FormatAvro: "too early"},
	} {
		for format, want := range want {
			d, err := NewDecoder(nastySpec(), Options{Format: format, Scratch: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Decode(strings.NewReader(source), &collect{})
			if strings.HasSuffix(want, "read as ") {
				want += string(format)
				for advice, does := range map[Advice]string{OfFile: "land it with --format", OfLookup: "declare that format", OfBody: "Content-Type"} {
					if told := advice.About(err); !errors.Is(told, ErrFormat) || !strings.HasSuffix(told.Error(), want+": "+advice.other) || !strings.Contains(advice.other, does) {
						t.Errorf("%s, %q: told %v", format, source, told)
					}
				}
			}
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) || errors.Is(err, ErrFormat) && errors.Is(err, ErrTruncated) {
				t.Errorf("%s, %q: got %v, want %s", format, source, err, want)
			}
		}
	}
}
