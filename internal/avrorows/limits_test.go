package avrorows

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"strandline/internal/jsonrow"
)

// container is an object container of one field, "v".
func container(t *testing.T, fieldType string, value any, opts ...ocf.WriterOpt) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ocf.NewWriter(&b, avro.MustParse(`{"type": "record", "name": "r", "fields": [{"name": "v", "type": `+fieldType+`}]}`), opts...)
	if err == nil {
		err = w.Encode(map[string]any{"v": value})
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// named is a codec under another name.
type named struct {
	ocf.Codec
	name string
}

func (n named) Name() string { return n.name }

// A container that is right and has what is not read is not called damaged: another copy
// of it would be no better.
func TestAvroThatIsNotReadIsNotCalledDamaged(t *testing.T) {
	const nulls = `{"type": "array", "items": "null"}`
	// A block of 1 record in 2 bytes, an array of 1 and its end, becomes one of 3 bytes: an array of 4097.
	tooMany := bytes.Replace(container(t, nulls, []any{nil}), []byte{2, 4, 2, 0}, []byte{2, 6, 0x82, 0x40, 0}, 1)
	deep := map[string]any{"next": nil}
	for range 20_000 {
		deep = map[string]any{"next": deep}
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"bzip2": {container(t, `"long"`, int64(1), ocf.WithCodec(named{ocf.DeflateCodec(6), "bzip2"})), `unknown codec "bzip2" (of codecs, null,`},
		"xz":    {container(t, `"long"`, int64(1), ocf.WithCodec(named{ocf.DeflateCodec(6), "xz"})), `unknown codec "xz" (of codecs, null,`},
		"nulls": {tooMany, "an array has more than 4096 elements"},
	} {
		_, err := read(t, c.data, 1<<20)
		if !errors.Is(err, jsonrow.ErrUnsupported) || errors.Is(err, jsonrow.ErrDamaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A block that is too large is said to be, in words of ours, whatever it is packed with.
func TestABlockThatIsTooLargeIsNotCalledDamaged(t *testing.T) {
	zstd, err := ocf.ZstdCodec(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, codec := range map[string][]ocf.WriterOpt{
		"null": nil, "deflate": {ocf.WithCodec(ocf.DeflateCodec(6))}, "snappy": {ocf.WithCodec(ocf.SnappyCodec())}, "zstandard": {ocf.WithCodec(zstd)},
	} {
		data := container(t, `"string"`, strings.Repeat("x", 4000), codec...)
		for _, limit := range []ocf.ReaderOpt{ocf.WithMaxDecompressedBlockBytes(2000), ocf.WithMaxBlockBytes(10)} {
			reader, err := ocf.NewReader(bytes.NewReader(data), limit)
			if err != nil {
				t.Fatal(err)
			}
			var value any
			err = (&File{written: &tail{}}).classed(reader.Decode(&value))
			if !errors.Is(err, jsonrow.ErrUnsupported) || strings.Contains(err.Error(), "With") || !strings.Contains(err.Error(), "a block has more than 256 MiB") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}
