package datafile_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"

	"github.com/parquet-go/parquet-go"
)

// events are rows as an event stream has them, about 150 bytes of NDJSON each.
func events(b *testing.B, rows int) (cols []datafile.Column, data [][]datafile.Value) {
	for _, c := range [][2]string{{"position", "BIGINT"}, {"event_time", "TIMESTAMPTZ"}, {"source", "VARCHAR"}, {"id", "VARCHAR"},
		{"kind", "VARCHAR"}, {"user_id", "BIGINT"}, {"amount", "DECIMAL(12,2)"}, {"place", "VARCHAR"}, {"score", "DOUBLE"}, {"extra", "JSON"}} {
		cols = append(cols, datafile.Column{Name: c[0], Type: typeOf(b, c[1])})
		data = append(data, make([]datafile.Value, rows))
	}
	text := func(format string, a ...any) datafile.Value {
		return parquet.ByteArrayValue(fmt.Appendf(nil, format, a...))
	}
	kinds := []string{"view", "click", "buy", "refund"}
	for r := range rows {
		h := uint64(r) * 0x9e3779b97f4a7c15
		for c, v := range []datafile.Value{
			parquet.Int64Value(int64(r)), parquet.Int64Value(1_700_000_000_000_000 + int64(r)*3007 + int64(h>>50)), text("/var/in/file.ndjson"),
			text("ev-%016x", h), text("%s", kinds[h>>62]), parquet.Int64Value(int64(h >> 44)), parquet.Int64Value(int64(h >> 48)),
			text("%d km NNE of Town %d", h>>58, h>>54), parquet.DoubleValue(float64(h>>40) / 1000), {},
		} {
			data[c][r] = v
		}
	}
	return cols, data
}

// processor is the processor time that the process has used, which unlike the
// clock does not depend on what else the machine does.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkAppendRow(b *testing.B) {
	cols, data := events(b, 1000)
	row := make([]datafile.Value, len(cols))
	var buf []byte
	b.ReportAllocs()
	for i := range b.N {
		for c := range row {
			row[c] = data[c][i%1000]
		}
		buf = datafile.AppendRow(buf[:0], cols, row)
	}
}

func BenchmarkOfRow(b *testing.B) {
	cols, data := events(b, 1)
	row := []byte(canonical(cols, data, 0))
	b.SetBytes(int64(len(row)))
	for b.Loop() {
		digest.OfRow(row)
	}
}

func BenchmarkWrite(b *testing.B) {
	const rows = 200_000
	cols, data := events(b, rows)
	path := filepath.Join(b.TempDir(), "x.parquet")
	var written datafile.Written
	vectors := vectorsOf(b, cols, data)
	before := processor(b)
	for b.Loop() {
		w, err := datafile.Create(path, cols, datafile.Passing)
		if err == nil {
			err = w.Group(vectors)
		}
		if err == nil {
			written, err = w.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processor(b)-before)/float64(b.N)/rows, "cpu-ns/row")
	b.ReportMetric(float64(written.Bytes)/rows, "B/row")
}

func BenchmarkSummarize(b *testing.B) {
	const rows = 200_000
	cols, data := events(b, rows)
	path := filepath.Join(b.TempDir(), "x.parquet")
	if _, err := datafile.Write(path, cols, data, nil); err != nil {
		b.Fatal(err)
	}
	before := processor(b)
	for b.Loop() {
		if _, err := datafile.Summarize(path, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processor(b)-before)/float64(b.N)/rows, "cpu-ns/row")
}

func BenchmarkParseText(b *testing.B) {
	for _, c := range [][2]string{{"BIGINT", "1234567890123"}, {"DECIMAL(12,2)", "12345.67"}, {"DOUBLE", "12345.6789"},
		{"TIMESTAMPTZ", "2024-01-02T03:04:05.678Z"}, {"VARCHAR", "12 km NNE of Town"}} {
		typ, text := typeOf(b, c[0]), []byte(c[1])
		b.Run(c[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := datafile.ParseBorrowed(typ, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
