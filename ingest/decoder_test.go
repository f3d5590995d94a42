package ingest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/landing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// nastySpec is the stream that the golden inputs are read as.
func nastySpec() landing.Spec {
	return landing.Spec{
		Stream:    "nasty",
		EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
		Columns: columns("id VARCHAR", "mag DECIMAL(6,3)", "count BIGINT",
			"place VARCHAR", "ok BOOLEAN", "doc JSON"),
	}
}

func columns(declared ...string) []datafile.Column {
	var out []datafile.Column
	for _, d := range declared {
		at := strings.LastIndexByte(d, ' ')
		name, typ := d[:at], d[at+1:]
		t, err := datafile.ParseType(typ)
		if err != nil {
			panic(err)
		}
		out = append(out, datafile.Column{Name: name, Type: t})
	}
	return out
}

// scribe is a sink that writes down what it gets, one line each.
type scribe struct {
	columns []datafile.Column
	out     bytes.Buffer
}

func (s *scribe) Add(r landing.Row) error {
	fmt.Fprintf(&s.out, "line %d: %s", r.SourcePosition, instant(r.EventTime))
	for i, v := range r.Values {
		fmt.Fprintf(&s.out, " %s=%s", s.columns[i].Name, show(v))
	}
	if r.Extra != "" {
		fmt.Fprintf(&s.out, " extra %s", r.Extra)
	}
	s.out.WriteByte('\n')
	return nil
}

func (s *scribe) Reject(r landing.Reject) error {
	raw := fmt.Sprintf("%q", r.Raw)
	if len(raw) > 120 {
		raw = fmt.Sprintf("%s… (%d bytes)", raw[:100], len(r.Raw))
	}
	fmt.Fprintf(&s.out, "line %d: REJECT %s\n\t%s\n", r.SourcePosition, r.Reason, raw)
	return nil
}

func instant(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
}

func show(v datafile.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	if v.Kind() == parquet.ByteArray {
		return fmt.Sprintf("%q", v.ByteArray())
	}
	return v.String()
}

// decode reads a source of nastySpec to the end.
func decode(t testing.TB, spec landing.Spec, opts Options, source []byte) (string, Counts) {
	t.Helper()
	s := &scribe{columns: spec.Columns}
	d, err := NewDecoder(spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := d.Decode(bytes.NewReader(source), s)
	if err != nil {
		t.Fatal(err)
	}
	return s.out.String(), counts
}

func TestEveryNastyRecordIsARowOrARejectAndItsNeighboursLand(t *testing.T) {
	for _, format := range []Format{FormatNDJSON, FormatCSV} {
		t.Run(string(format), func(t *testing.T) {
			source, err := os.ReadFile("testdata/nasty." + string(format))
			if err != nil {
				t.Fatal(err)
			}
			got, counts := decode(t, nastySpec(), Options{Format: format}, source)
			got += fmt.Sprintf("%+v\n", counts)
			golden(t, "testdata/nasty."+string(format)+".golden", got)
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s differs from line %d on (-update writes it anew); got:\n%s", path, i+1, strings.Join(gotLines[min(i, len(gotLines)):], "\n"))
		}
	}
}
