package ingest

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// goWords are of what Go says of a panic.
var goWords = regexp.MustCompile(`runtime error|panic|slice bounds|index out of range|nil pointer|reflect[:.]|makeslice|interface conversion`)

// The readers of typed files panic at many flipped bits. Whoever brought the file is told of the file.
func TestWhatADamagedFileSaysIsOfTheFileAndNotOfGo(t *testing.T) {
	for name, source := range damagedSources(t) {
		d, err := NewDecoder(nastySpec(), Options{Format: source.format})
		if err != nil {
			t.Fatal(err)
		}
		misfits := 0
		for at := range source.data {
			bad := bytes.Clone(source.data)
			bad[at] ^= 0x80
			_, err := d.Decode(bytes.NewReader(bad), &tally{})
			if err == nil {
				continue
			}
			if goWords.MatchString(err.Error()) {
				t.Fatalf("%s: byte %d of %d flipped: %v", name, at, len(bad), err)
			}
			if errors.Is(err, ErrCorrupt) && strings.Contains(err.Error(), "does not fit together") {
				misfits++
			}
		}
		if misfits == 0 && source.format == FormatArrow {
			t.Errorf("%s: no reader panicked: the guard may go", name)
		}
	}
}

type damagedSource struct {
	format Format
	data   []byte
}

// damagedSources are small files of every typed format, to be damaged.
func damagedSources(t *testing.T) map[string]damagedSource {
	t.Helper()
	all := map[string]damagedSource{}
	type row struct {
		Time int64    `parquet:"time"`
		ID   string   `parquet:"id,dict"`
		Mag  *float64 `parquet:"mag,optional"`
		Doc  []int64  `parquet:"doc,list"`
	}
	mag := 1.5
	rows := []row{{1, "a", &mag, []int64{1, 2}}, {2, "b", nil, nil}, {3, "a", &mag, []int64{3}}}
	for name, opt := range map[string]parquet.WriterOption{"plain": parquet.DataPageVersion(1), "v2": parquet.DataPageVersion(2), "snappy": parquet.Compression(&parquet.Snappy)} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, opt)
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all["parquet "+name] = damagedSource{FormatParquet, b.Bytes()}
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "time", Type: arrow.PrimitiveTypes.Int64}, {Name: "id", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "doc", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
	}, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, bytes.NewReader([]byte(`[{"time":1,"id":"a","doc":[1,2]},{"time":2,"id":"b","doc":null},{"time":3,"id":"a","doc":[3]}]`)))
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	for name, opts := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		var b bytes.Buffer
		opts = append(opts, ipc.WithSchema(schema))
		stream := ipc.NewWriter(&b, opts...)
		if err := stream.Write(batch); err != nil {
			t.Fatal(err)
		}
		if err := stream.Close(); err != nil {
			t.Fatal(err)
		}
		all["arrow stream "+name] = damagedSource{FormatArrow, bytes.Clone(b.Bytes())}
		b.Reset()
		file, err := ipc.NewFileWriter(&b, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Write(batch); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		all["arrow file "+name] = damagedSource{FormatArrow, b.Bytes()}
	}
	for _, codec := range []string{"null", "deflate", "snappy"} {
		var b bytes.Buffer
		opts := map[string][]ocf.WriterOpt{"null": nil, "deflate": {ocf.WithCodec(ocf.DeflateCodec(6))}, "snappy": {ocf.WithCodec(ocf.SnappyCodec())}}[codec]
		w, err := ocf.NewWriter(&b, avro.MustParse(`{"type":"record","name":"event","fields":[{"name":"time","type":"long"},{"name":"id","type":"string"},{"name":"doc","type":{"type":"array","items":"long"}}]}`), opts...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := w.Encode(map[string]any{"time": int64(i), "id": "a", "doc": []any{int64(1)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all["avro "+codec] = damagedSource{FormatAvro, b.Bytes()}
	}
	return all
}
