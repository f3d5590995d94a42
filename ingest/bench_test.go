package ingest

import (
	"bytes"
	"os"
	"syscall"
	"testing"

	"strandline/landing"
)

// quakeSpec is the stream of the real earthquakes.
func quakeSpec() landing.Spec {
	return landing.Spec{
		Stream:    "quakes",
		EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
		Columns:   columns("id VARCHAR", "mag DECIMAL(6,3)", "net VARCHAR", "place VARCHAR"),
	}
}

// tally is a sink that only counts.
type tally struct{ rows, rejects int }

func (t *tally) Add(landing.Row) error       { t.rows++; return nil }
func (t *tally) Reject(landing.Reject) error { t.rejects++; return nil }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func BenchmarkDecodeNDJSON(b *testing.B) {
	benchmarkDecode(b, quakeSpec(), Options{}, bytes.Repeat(readFile(b, "../testdata/quakes.ndjson"), 20))
}

func BenchmarkDecodeCSV(b *testing.B) {
	header, rest, _ := bytes.Cut(readFile(b, "../testdata/birdstrikes.csv"), []byte("\n"))
	source := append(append(header, '\n'), bytes.Repeat(rest, 20)...)
	benchmarkDecode(b, strikeSpec(), Options{Format: FormatCSV}, source)
}

func benchmarkDecode(b *testing.B, spec landing.Spec, opts Options, source []byte) {
	d, err := NewDecoder(spec, opts)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	start := cpuSeconds(b)
	for b.Loop() {
		if _, err := d.Decode(identify(bytes.NewReader(source)), &tally{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(source))*float64(b.N)/1e6/(cpuSeconds(b)-start), "MB/CPUs")
}

// cpuSeconds is what the process has used: a fair measure on a busy machine.
func cpuSeconds(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// strikeSpec is the stream of the real wildlife strikes.
func strikeSpec() landing.Spec {
	return landing.Spec{
		Stream:    "strikes",
		EventTime: landing.EventTime{Column: "Flight Date", Unit: landing.UnitISO, Zone: "UTC"},
		Columns:   columns("Airport Name VARCHAR", "Cost Total $ BIGINT", "Speed IAS in knots INTEGER"),
	}
}
