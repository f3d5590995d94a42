package avrorows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
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

// What of a header is damaged is told in words of ours, and never as a codec.
func TestAvroWhoseHeaderIsDamagedIsToldSo(t *testing.T) {
	whole := container(t, `"long"`, int64(1), ocf.WithCodec(ocf.DeflateCodec(6)))
	with := func(old, new string) []byte { return bytes.Replace(whole, []byte(old), []byte(new), 1) }
	for name, c := range map[string]struct {
		data []byte
		is   error
		want string
	}{
		"metadata":       {with("Obj\x01\x04", "Obj\x01\x05"), jsonrow.ErrDamaged, "its header does not fit together (reading metadata: "},
		"no schema":      {with("avro.schema", "avro.scheme"), jsonrow.ErrDamaged, "its header does not fit together (missing avro.schema"},
		"no JSON":        {with(`{"type`, `["type`), jsonrow.ErrDamaged, "its header does not fit together (parsing schema: invalid"},
		"no type":        {with(`"long"`, `"lung"`), jsonrow.ErrUnsupported, `a schema that is none of Avro (unknown type "lung")`},
		"name":           {with(`"v"`, `"-"`), jsonrow.ErrUnsupported, `a schema that is none of Avro (invalid field name "-"`},
		"another codec":  {with("deflate", "deflatf"), jsonrow.ErrUnsupported, `unknown codec "deflatf" (of codecs, null,`},
		"of a container": {[]byte("Obj\x01\x00" + strings.Repeat("s", 16)), jsonrow.ErrDamaged, "its header does not fit together (missing avro.schema"},
	} {
		_, err := read(t, c.data, 1<<20)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "ocf:") {
			t.Errorf("%s: got %v, want %v: …%s", name, err, c.is, c.want)
		}
	}
}

// Containers that were put one behind another are said to be that; the same bytes in a value are none, nor in
// a container that is damaged.
func TestSeveralContainersInOneAreTold(t *testing.T) {
	one, large := container(t, `"string"`, "Obj\x01 and "+strings.Repeat("x", 20)+"Obj\x01"), container(t, `"bytes"`, bytes.Repeat([]byte("Obj\x01"), 1<<20))
	for name, c := range map[string]struct {
		data []byte
		at   int // where the second begins; 0: none does
	}{
		"two":     {slices.Concat(one, one), len(one)},
		"three":   {slices.Concat(large, one, large), len(large)},
		"another": {slices.Concat(one, container(t, `"long"`, int64(1))), len(one)},
		"damaged": {slices.Concat(one, []byte("nothing")), 0},
	} {
		_, err := read(t, c.data, 8<<20)
		want := fmt.Sprintf("several containers in one, of which the second begins at byte %d: hand over each by itself", c.at)
		if told := err != nil && strings.Contains(err.Error(), want) && errors.Is(err, jsonrow.ErrUnsupported); err == nil || told != (c.at > 0) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if _, err := read(t, large, 16<<20); err != nil {
		t.Errorf("one whose value has the magic bytes: %v", err)
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
