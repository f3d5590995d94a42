package avrorows

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"strandline/internal/jsonrow"
)

const everyType = `{"type": "record", "name": "r", "namespace": "n", "fields": [
	{"name": "b", "type": "boolean"}, {"name": "i", "type": "int"}, {"name": "l", "type": "long"},
	{"name": "f", "type": "float"}, {"name": "d", "type": "double"}, {"name": "s", "type": "string"}, {"name": "x", "type": "bytes"},
	{"name": "dec", "type": {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 10}},
	{"name": "fdec", "type": {"type": "fixed", "name": "fd", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}},
	{"name": "day", "type": {"type": "int", "logicalType": "date"}},
	{"name": "ms", "type": {"type": "long", "logicalType": "timestamp-millis"}},
	{"name": "us", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
	{"name": "tod", "type": {"type": "int", "logicalType": "time-millis"}},
	{"name": "u", "type": {"type": "string", "logicalType": "uuid"}},
	{"name": "e", "type": {"type": "enum", "name": "e", "symbols": ["A", "B"]}},
	{"name": "fix", "type": {"type": "fixed", "name": "f2", "size": 2}},
	{"name": "dur", "type": {"type": "fixed", "name": "du", "size": 12, "logicalType": "duration"}},
	{"name": "arr", "type": {"type": "array", "items": ["null", "int"]}},
	{"name": "map", "type": {"type": "map", "values": "long"}},
	{"name": "rec", "type": {"type": "record", "name": "in", "fields": [{"name": "a", "type": "int"}, {"name": "next", "type": ["null", "in"]}]}},
	{"name": "un", "type": ["null", "string", {"type": "long", "logicalType": "timestamp-micros"}, "e", "in"]}
]}`

func row(un any) map[string]any {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 1_000_000, time.UTC)
	unscaled, _ := new(big.Rat).SetString("-9999999999999999999999999999.9999999999")
	return map[string]any{
		"b": true, "i": int32(math.MinInt32), "l": int64(math.MaxInt64), "f": float32(0.1), "d": math.Inf(1), "s": "é\"", "x": []byte{0, 255},
		"dec": unscaled, "fdec": big.NewRat(-5, 4), "day": time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), "ms": noon, "us": noon, "tod": 3723004 * time.Millisecond,
		"u": "30313233-3435-3637-3839-616263646566", "e": "B", "fix": []byte{1, 2}, "dur": avro.Duration{Months: 1, Days: 2, Milliseconds: 3000},
		"arr": []any{int32(1), nil}, "map": map[string]any{"k": int64(1), "j": int64(2)}, "rec": map[string]any{"a": int32(1), "next": map[string]any{"a": int32(2), "next": nil}}, "un": un,
	}
}

const wanted = `{"b":true,"i":-2147483648,"l":9223372036854775807,"f":0.10000000149011612,"d":"Infinity","s":"é\"","x":"00ff",` +
	`"dec":-9999999999999999999999999999.9999999999,"fdec":-1.25,"day":"1969-12-31","ms":"2026-03-01T12:00:00.001Z","us":"2026-03-01T12:00:00.001","tod":"01:02:03.004",` +
	`"u":"30313233-3435-3637-3839-616263646566","e":"B","fix":"0102","dur":"P1M2DT3S","arr":[1,null],"map":{"j":2,"k":1},"rec":{"a":1,"next":{"a":2,"next":null}},"un":%s}`

func written(t testing.TB, rows []map[string]any, opts ...ocf.WriterOpt) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ocf.NewWriter(&b, avro.MustParse(everyType), opts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, data []byte, limit int) (string, error) {
	t.Helper()
	copied, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if _, err := copied.Write(data); err != nil {
		t.Fatal(err)
	}
	f, err := Open(copied, int64(len(data)), jsonrow.Room{})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = f.Each(limit, func(r jsonrow.Row) error {
		fmt.Fprintf(&out, "%d %s %v\n", r.Position, r.JSON, r.Problem)
		return nil
	})
	return out.String(), err
}

func rows() []map[string]any {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	return []map[string]any{row(nil), row("text"), row(at), row(map[string]any{"n.in": map[string]any{"a": int32(7), "next": nil}})}
}

func TestEveryTypeOfAvroIsRead(t *testing.T) {
	var want strings.Builder
	for i, un := range []string{"null", `"text"`, `"2026-03-01T00:00:00Z"`, `{"a":7,"next":null}`} {
		fmt.Fprintf(&want, "%d "+wanted+" <nil>\n", i+1, un)
	}
	zstd, err := ocf.ZstdCodec(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string][]ocf.WriterOpt{
		"null": nil, "deflate": {ocf.WithCodec(ocf.DeflateCodec(6))}, "snappy": {ocf.WithCodec(ocf.SnappyCodec())}, "zstandard": {ocf.WithCodec(zstd)}, "blocks": {ocf.WithBlockCount(1)},
	} {
		if got, err := read(t, written(t, rows(), opts...), 1<<20); got != want.String() || err != nil {
			t.Errorf("%s: got\n%s%v, want\n%s", name, got, err, want.String())
		}
	}
}

func TestAvroThatIsCutOrIsNoneIsRefused(t *testing.T) {
	whole := written(t, rows(), ocf.WithCodec(ocf.DeflateCodec(6)))
	header := len(written(t, nil, ocf.WithCodec(ocf.DeflateCodec(6))))
	for n := range len(whole) {
		if _, err := read(t, whole[:n], 1<<20); n != header && !errors.Is(err, jsonrow.ErrCut) {
			t.Errorf("cut at %d of %d: got %v", n, len(whole), err)
		}
	}
	if _, err := read(t, []byte("{\"time\":1}\n"), 1<<20); !errors.Is(err, jsonrow.ErrUnsupported) {
		t.Errorf("text: got %v", err)
	}
}

func TestARowOfAvroThatIsTooLongSaysSo(t *testing.T) {
	got, err := read(t, written(t, rows()), 100)
	if err != nil || strings.Count(got, jsonrow.ErrLong.Error()) != 4 {
		t.Errorf("got %s, %v", got, err)
	}
}

func FuzzAvroIsReadOrRefused(f *testing.F) {
	f.Add(written(f, rows()))
	f.Add(written(f, rows(), ocf.WithCodec(ocf.DeflateCodec(6))))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := read(t, data, 1<<12)
		known := errors.Is(err, jsonrow.ErrCut) || errors.Is(err, jsonrow.ErrDamaged) || errors.Is(err, jsonrow.ErrUnsupported)
		if err != nil && !known {
			t.Errorf("got %v", err)
		}
	})
}
