package ingest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"strandline/landing"
)

// lines counts as a reader of lines does: the last may lack its end.
func lines(source []byte) int64 {
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	n := bytes.Count(source, []byte("\n"))
	if len(source) > 0 && source[len(source)-1] != '\n' {
		n++
	}
	return int64(n)
}

// judge is a sink that compares each NDJSON row with encoding/json.
type judge struct {
	t     *testing.T
	lines [][]byte
	last  int64
}

func (j *judge) line(position int64) []byte {
	if position <= j.last || position > int64(len(j.lines)) {
		j.t.Fatalf("position %d after %d in a source of %d lines", position, j.last, len(j.lines))
	}
	j.last = position
	return j.lines[position-1]
}

func (j *judge) Reject(r landing.Reject) error {
	line := j.line(r.SourcePosition)
	if r.Reason == "" || !bytes.HasPrefix(line, r.Raw) {
		j.t.Errorf("reject %q holds %q of line %q", r.Reason, r.Raw, line)
	}
	return nil
}

func (j *judge) Add(r landing.Row) error {
	line := j.line(r.SourcePosition)
	var want, extra map[string]json.RawMessage
	if err := json.Unmarshal(line, &want); err != nil {
		j.t.Fatalf("accepted %q, which encoding/json refuses: %v", line, err)
	}
	if id := want["id"]; len(id) > 0 && id[0] == '"' {
		var text string
		if err := json.Unmarshal(id, &text); err != nil || text != string(r.Values[0].ByteArray()) {
			j.t.Errorf("%q: id is %q, want %q", line, r.Values[0], text)
		}
	}
	if doc := want["doc"]; doc != nil && string(doc) != "null" {
		j.sameJSON(line, r.Values[5].ByteArray(), doc)
	}
	for _, name := range []string{"id", "mag", "count", "place", "ok", "doc", "time"} {
		delete(want, name)
	}
	if r.Extra != "" {
		if err := json.Unmarshal([]byte(r.Extra), &extra); err != nil {
			j.t.Fatalf("%q: extra %q: %v", line, r.Extra, err)
		}
	}
	if len(extra) != len(want) {
		j.t.Fatalf("%q: extra is %q", line, r.Extra)
	}
	for name, value := range want {
		j.sameJSON(line, extra[name], value)
	}
	return nil
}

// sameJSON wants the same tokens; space between them aside.
func (j *judge) sameJSON(line, got, want []byte) {
	var a, b bytes.Buffer
	if json.Compact(&a, got) != nil || json.Compact(&b, want) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		j.t.Errorf("%q: got %q, want %q", line, got, want)
	}
}

func FuzzEveryNDJSONLineIsARowARejectOrBlank(f *testing.F) {
	for _, line := range bytes.Split(readFile(f, "testdata/nasty.ndjson"), []byte("\n")) {
		f.Add(line)
	}
	f.Add(readFile(f, "testdata/nasty.ndjson")[:2000])
	f.Add([]byte("\xef\xbb\xbf"))
	f.Add([]byte("{\"time\":1}\n\n{\"time\":2"))
	f.Fuzz(func(t *testing.T, source []byte) {
		d, err := NewDecoder(nastySpec(), Options{MaxRecord: 512})
		if err != nil {
			t.Fatal(err)
		}
		whole := bytes.Split(bytes.TrimPrefix(source, []byte("\xef\xbb\xbf")), []byte("\n"))
		counts, err := d.Decode(bytes.NewReader(source), &judge{t: t, lines: whole})
		if errors.Is(err, ErrFormat) {
			return // a source that is plainly something else has no lines
		}
		if err != nil {
			t.Fatal(err)
		}
		if counts.Rows+counts.Rejects+counts.Blanks != lines(source) {
			t.Errorf("%+v of %d lines", counts, lines(source))
		}
	})
}

// records reads a source with our own CSV reader, until its first fault.
func records(source []byte) (all [][]string, faults int, consumed []byte) {
	ahead := newLookahead(bytes.NewReader(source))
	r := csvRecord{ahead: ahead, delimiter: ',', quote: '"', limit: 1 << 20}
	for {
		end, ok := ahead.lineEnd(0, r.limit)
		if !ok {
			return all, faults, consumed
		}
		if len(trimLineEnd(ahead.ahead()[:end])) > 0 {
			if r.read(end) != nil {
				faults++
			} else {
				all = append(all, folded(r.cells))
			}
			end = r.end
		}
		consumed = append(consumed, ahead.ahead()[:end]...)
		ahead.consume(end)
	}
}

// folded are the texts of cells as encoding/csv has them: line ends in quotes folded.
func folded(cells []cell) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = string(c.text)
		if c.quoted {
			out[i] = strings.ReplaceAll(out[i], "\r\n", "\n")
		}
	}
	return out
}

func FuzzCSVRecordsAreThoseOfTheStandardLibrary(f *testing.F) {
	for _, line := range bytes.SplitAfter(readFile(f, "testdata/nasty.csv"), []byte("\n")) {
		f.Add(line)
	}
	for _, s := range []string{"", "\"", "\"\"", "a,\"b\"\"c\"\r\n", "\"a\nb\",c\n", "a\r", "\"a\r", "\"a\"\r", "a,\n,b\n", "\"a\r\n\"\n", "\r\r\n", "\"a\"\r\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		got, faults, consumed := records(source)
		if !bytes.Equal(consumed, source) {
			t.Fatalf("consumed %q of %q", consumed, source)
		}
		std := csv.NewReader(bytes.NewReader(source))
		std.FieldsPerRecord = -1
		want, err := std.ReadAll()
		if (err != nil) != (faults > 0) {
			t.Fatalf("%q: %d faults, encoding/csv says %v", source, faults, err)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %q, want %q", source, got, want)
		}
	})
}

func FuzzEveryCSVRecordIsARowOrAReject(f *testing.F) {
	f.Add(readFile(f, "testdata/nasty.csv"))
	f.Add([]byte("time,id\n1,a\n\"1\",\"b\nc\"\n1\n\n\"\n1,x"))
	f.Fuzz(func(t *testing.T, source []byte) {
		spec := landing.Spec{Columns: columns("id VARCHAR"), EventTime: landing.EventTime{Column: "time", Unit: "s"}}
		d, err := NewDecoder(spec, Options{Format: FormatCSV, MaxRecord: 512})
		if err != nil {
			t.Fatal(err)
		}
		var sink collect
		counts, err := d.Decode(bytes.NewReader(source), &sink)
		if err != nil {
			return // the header does not fit
		}
		last := int64(0)
		for _, position := range sink.order {
			if position <= last || position > lines(source) {
				t.Fatalf("position %d after %d in %d lines", position, last, lines(source))
			}
			last = position
		}
		if int(counts.Rows+counts.Rejects) != len(sink.order) {
			t.Errorf("%+v of %d records", counts, len(sink.order))
		}
	})
}

func FuzzEveryCSVRecordWithEscapesIsARowOrAReject(f *testing.F) {
	f.Add([]byte("1,'a\\'b'\n1,'\\"))
	f.Add([]byte("1,'a\\\n'\n1,''''\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		spec := landing.Spec{Columns: columns("id VARCHAR"), EventTime: landing.EventTime{Column: "time", Unit: "s"}}
		d, err := NewDecoder(spec, Options{Format: FormatCSV, MaxRecord: 512, CSV: CSV{Quote: '\'', Escape: '\\', Header: []string{"time", "id"}}})
		if err != nil {
			t.Fatal(err)
		}
		var whole, pieces collect
		counts, err := d.Decode(bytes.NewReader(source), &whole)
		if err != nil {
			return // another form
		}
		if _, err := d.Decode(iotest.OneByteReader(bytes.NewReader(source)), &pieces); err != nil || !reflect.DeepEqual(whole, pieces) {
			t.Errorf("%q read by the byte differs (%v)", source, err)
		}
		if int(counts.Rows+counts.Rejects) != len(whole.order) {
			t.Errorf("%+v of %d records", counts, len(whole.order))
		}
	})
}

func FuzzDecompressNeverPanics(f *testing.F) {
	f.Add(gzipped([]byte("text")))
	f.Add(zstded([]byte("text")))
	f.Fuzz(func(t *testing.T, source []byte) {
		r, err := Decompress(bytes.NewReader(source), 1<<20)
		if err != nil {
			return
		}
		defer r.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
	})
}

// readTyped reads a typed file whatever it is, and wants rows and rejects at positions
// that follow one another, or an error that says what is wrong with the file.
func readTyped(t *testing.T, format Format, source []byte) {
	t.Helper()
	spec := landing.Spec{Columns: columns("v VARCHAR", "n BIGINT"), EventTime: landing.EventTime{Column: "time", Unit: "s"}}
	d, err := NewDecoder(spec, Options{Format: format, MaxRecord: 4096, Optional: []string{"v", "n", "time"}, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var sink collect
	counts, err := d.Decode(bytes.NewReader(source), &sink)
	if err != nil && !errors.Is(err, ErrInput) {
		t.Fatalf("got %v, want a fault of the file", err)
	}
	for i, position := range sink.order {
		if position != int64(i+1) {
			t.Fatalf("record %d has the position %d", i+1, position)
		}
	}
	if int(counts.Rows+counts.Rejects) != len(sink.order) {
		t.Errorf("%+v of %d records", counts, len(sink.order))
	}
}

func FuzzAParquetFileIsReadOrRefused(f *testing.F) {
	db, folder := openDuckDB(f), f.TempDir()
	for i, query := range []string{
		"SELECT i AS time, 'v' || i AS v, i * 1000003 AS n FROM range(20) r(i)",
		"SELECT i AS time, [i, NULL] AS v, MAP {'k': i} AS m, {'a': i, 'b': [[i]]} AS s FROM range(5) r(i)",
		"SELECT 1 AS time, 'é' AS v, 12345678901234567890123456789.5::DECIMAL(38,1) AS n, now() AS t, uuid() AS u",
	} {
		for j, how := range []string{"COMPRESSION zstd", "COMPRESSION lz4_raw, PARQUET_VERSION v2", "COMPRESSION snappy", "COMPRESSION uncompressed, PARQUET_VERSION v2"} {
			path := fmt.Sprintf("%s/%d-%d.parquet", folder, i, j)
			run(f, db, "COPY (%s) TO '%s' (FORMAT parquet, %s)", query, path, how)
			f.Add(readFile(f, path))
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) { readTyped(t, FormatParquet, source) })
}
