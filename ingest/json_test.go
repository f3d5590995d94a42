package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"strandline/landing"
)

func documentSpec() landing.Spec {
	return landing.Spec{Stream: "documents", Columns: columns("id VARCHAR"), EventTime: landing.EventTime{Column: "time", Unit: "s"}}
}

// readDocument reads JSON to its end and writes down what became of it.
func readDocument(t *testing.T, r io.Reader, limit int) (string, error) {
	t.Helper()
	d, err := NewDecoder(documentSpec(), Options{Format: FormatJSON, MaxRecord: limit})
	if err != nil {
		t.Fatal(err)
	}
	s := &scribe{columns: documentSpec().Columns}
	_, err = d.Decode(r, s)
	return s.out.String(), err
}

func TestJSONIsOneValueOrSeveralOrArraysWhateverTheSpaceBetween(t *testing.T) {
	one, two := `{"time":1,"id":"a"}`, "{\r\n\t\"time\" : 2,\n \"id\":\"b]\\\"}\"\n}"
	want := "line 1: 1970-01-01T00:00:01.000000Z id=\"a\"\nline 2: 1970-01-01T00:00:02.000000Z id=\"b]\\\"}\"\n"
	for _, source := range []string{
		one + two, one + "\n" + two + "\n", "[" + one + "," + two + "]", " [\n" + one + "\n,\t" + two + " ] \n",
		"[" + one + "]" + two, "[]" + one + "[" + two + "][]", "\xef\xbb\xbf[" + one + "," + two + "]",
	} {
		for _, r := range []io.Reader{strings.NewReader(source), iotest.OneByteReader(strings.NewReader(source))} {
			if got, err := readDocument(t, r, 0); got != want || err != nil {
				t.Errorf("%q: got %s, %v", source, got, err)
			}
		}
	}
	for _, source := range []string{"", " \n", "[]", "[ ]", "[\n]\n[]"} {
		if got, err := readDocument(t, strings.NewReader(source), 0); got != "" || err != nil {
			t.Errorf("%q: got %q, %v", source, got, err)
		}
	}
}

func TestABadElementIsARejectAndItsNeighboursLand(t *testing.T) {
	for _, bad := range []string{
		`{"time":tru,"id":"x"}`, `{"time":1,}`, `{"time":1,"id":"a","id":"b"}`, `{}`, `[{"time":1}]`, `"text"`, `"}"`, "7", "null", "nonsense",
		`{"time":1 "id":2}`, `{time:1}`, "{\"time\":1,\"id\":\"\xff\"}", "{\"time\":1,\"id\":\"a\nb\"}", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
	} {
		source := `[{"time":1,"id":"a"},` + bad + `,{"time":3,"id":"c"}]`
		for _, r := range []io.Reader{strings.NewReader(source), iotest.OneByteReader(strings.NewReader(source))} {
			got, err := readDocument(t, r, 0)
			if err != nil || !strings.HasPrefix(got, "line 1: 1970") || !strings.Contains(got, "line 2: REJECT") || !strings.Contains(got, "line 3: 1970") {
				t.Errorf("%.60q: got %.300s, %v", bad, got, err)
			}
		}
	}
}

func TestJSONThatCanNotBeFollowedIsRefusedWholeAndSaysWhere(t *testing.T) {
	for _, c := range []struct {
		source string
		class  error
		want   string
	}{
		{"[\n{\"time\":1}\n{\"time\":2}]", ErrSyntax, "line 3, after record 1: there is no comma"},
		{`[{"time":1},,{"time":2}]`, ErrSyntax, "after record 1"},
		{`[{"time":1},]`, ErrSyntax, "after record 1"},
		{`[,]`, ErrSyntax, "after record 0"},
		{`{"time":1},{"time":2}`, ErrSyntax, "after record 1"},
		{`]`, ErrSyntax, "should begin"},
		{`[{"time":1}}]`, ErrSyntax, "should begin"},
		{`[{"time":[1}]`, ErrSyntax, "not in that order"},
		{"[" + strings.Repeat("[", maxNesting+1), ErrSyntax, "a million"},
		{`[{"time":1},`, ErrTruncated, "an array is not closed"},
		{`[{"time":1}`, ErrTruncated, "an array is not closed"},
		{`[{"time":1`, ErrTruncated, "record 1 is not closed"},
		{`{"time":1,"id":"never closed}`, ErrTruncated, "record 1 is not closed"},
		{`"never closed`, ErrTruncated, "record 1 is not closed"},
	} {
		_, err := readDocument(t, strings.NewReader(c.source), 0)
		if !errors.Is(err, c.class) || !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v, want %q", c.source, err, c.want)
		}
	}
}

func TestOverlongElementIsARejectAndItsNeighboursLand(t *testing.T) {
	long := `{"time":2,"id":"` + strings.Repeat(`\"[`, 300_000) + `"}`
	for _, limit := range []int{100, len(long) - 1} {
		source := `[{"time":1,"id":"a"}, ` + long + ` ,{"time":3,"id":"c"}]`
		got, err := readDocument(t, strings.NewReader(source), limit)
		want := fmt.Sprintf("line 2: REJECT the record has %d bytes, more than the limit of %d", len(long), limit)
		if err != nil || !strings.HasPrefix(got, "line 1: 1970") || !strings.Contains(got, want) || !strings.Contains(got, "line 3: 1970") {
			t.Errorf("limit %d: got %.300s, %v", limit, got, err)
		}
	}
	if _, err := readDocument(t, strings.NewReader("["+long[:len(long)-1]), 100); !errors.Is(err, ErrTruncated) {
		t.Errorf("cut: got %v", err)
	}
}

// elements is an endless array of which so many bytes are read.
type elements struct {
	next []byte
	left int
}

func (e *elements) Read(p []byte) (int, error) {
	if len(e.next) == 0 {
		e.next = bytes.Repeat([]byte(`{"time":1,"id":"abcdefghijklmnopqrstuvwxyz"},`), 1000)
	}
	n := copy(p, e.next)
	if e.left -= n; e.left < 0 {
		return 0, io.ErrClosedPipe
	}
	e.next = e.next[n:]
	return n, nil
}

func TestAnArrayOfAnyLengthIsReadInLittleMemory(t *testing.T) {
	d, err := NewDecoder(documentSpec(), Options{Format: FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	var peak runtime.MemStats
	sink := &tally{}
	_, err = d.Decode(io.MultiReader(strings.NewReader("["), &elements{left: 64 << 20}), sink)
	runtime.ReadMemStats(&peak)
	if err != io.ErrClosedPipe {
		t.Errorf("got %v, want the source's error", err)
	}
	if peak.HeapInuse > 48<<20 {
		t.Errorf("%d bytes of heap are in use after reading 64 MiB", peak.HeapInuse)
	}
}

func FuzzAnArrayOfRecordsIsReadAsItsLinesAre(f *testing.F) {
	for _, line := range bytes.Split(readFile(f, "testdata/nasty.ndjson"), []byte("\n")) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n\r\x00") || len(bytes.Trim(line, " \t")) == 0 || bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) || refuseForeign(line, "") != nil {
			return
		}
		byLine, _ := decode(t, documentSpec(), Options{MaxRecord: 512}, line)
		if !strings.HasPrefix(byLine, "line 1: 1970") && !strings.HasPrefix(byLine, "line 1: 2") {
			_, _ = readDocument(t, bytes.NewReader(line), 512) // ends, whatever it is
			return
		}
		for _, source := range []string{string(line), "[" + string(line) + "]"} {
			if got, err := readDocument(t, iotest.HalfReader(strings.NewReader(source)), 512); got != byLine || err != nil {
				t.Errorf("%q: got %s, %v, want %s", source, got, err, byLine)
			}
		}
	})
}
