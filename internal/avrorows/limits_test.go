package avrorows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
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

// holding is a container of one record, which takes so few bytes (fewer than 64), with another in its place.
func holding(data []byte, size int, record []byte) []byte {
	const sync = 16
	block, end := len(data)-sync-size-2, data[len(data)-sync:] // counts of records and bytes take 1 byte each
	out := binary.AppendVarint(append(slices.Clone(data[:block]), 2), int64(len(record)))
	return slices.Concat(out, record, end)
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
	const recursive = `{"type": "record", "name": "in", "fields": [{"name": "next", "type": ["null", "in"]}]}`
	nulls := holding(container(t, `{"type": "array", "items": "null"}`, []any{}), 1, []byte{0x82, 0x40, 0}) // 4097 of them
	deep := holding(container(t, recursive, map[string]any{"next": nil}), 1, append(bytes.Repeat([]byte{2}, 20_000), 0))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"bzip2": {container(t, `"long"`, int64(1), ocf.WithCodec(named{ocf.DeflateCodec(6), "bzip2"})), `unknown codec "bzip2" (of codecs, null,`},
		"xz":    {container(t, `"long"`, int64(1), ocf.WithCodec(named{ocf.DeflateCodec(6), "xz"})), `unknown codec "xz" (of codecs, null,`},
		"nulls": {nulls, "an array has more than 4096 elements"},
		"deep":  {deep, "nested too deeply"},
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
