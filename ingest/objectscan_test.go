package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/landing"
)

// scanned reads a record in both ways: as records are read, and by the judge alone.
type scanned struct {
	t    testing.TB
	json *jsonDecoding
	cols []datafile.Column
}

func newScanned(t testing.TB, spec landing.Spec) scanned {
	t.Helper()
	d, err := NewDecoder(spec, Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := &decoding{record: newRecord(d.schema)}
	return scanned{t, newJSONDecoding(run), spec.Columns}
}

// result says what became of a record.
func (s scanned) result(err error) string {
	if err != nil {
		return err.Error()
	}
	plain, isPlain := s.json.record.finishPlain(1)
	digested := []byte(nil)
	if isPlain {
		digested = s.digested(plain)
	}
	row, err := s.json.record.finish(1)
	if err != nil {
		return err.Error()
	}
	text := datafile.AppendRow(nil, s.cols, row.Values)
	if isPlain && (!bytes.Equal(digested, text) || plain.EventTime != row.EventTime || plain.Extra != row.Extra) {
		s.t.Errorf("as plain values it is %d %q extra %s", plain.EventTime, digested, plain.Extra)
	}
	return fmt.Sprintf("%d %q extra %s", row.EventTime, text, row.Extra)
}

// digested returns the canonical encoding of plain values, as it is made while they are kept.
func (s scanned) digested(row *landing.PlainRow) (text []byte) {
	for i, v := range datafile.NewVectors(s.cols) {
		var err error
		if text, err = v.AppendPlain(text, &row.Values[i], row.Text); err != nil {
			s.t.Fatal(err)
		}
	}
	return text
}

// check wants that reading ends as judging does, and that nothing is read past a
// record's end. It tells whether the scan was sure.
func (s scanned) check(line []byte) (sure bool) {
	s.t.Helper()
	const before = "{\"id\":\"" // and after it is what is not the record's
	source := fmt.Appendf(nil, "%s%s%s", before, line, "\",\"id\":\"}}}]]")
	text, from := source[:len(before)+len(line)], len(before)
	got := s.result(s.json.read(text, from))
	s.json.record.reset(text)
	want := s.result(explain(s.json.object(text[from:])))
	if got != want {
		s.t.Errorf("%q\nis read as %s\nand judged %s", line, got, want)
	}
	s.checkLine(line, `,"id":"b"}`)
	s.checkLine(line, "}")
	s.json.record.reset(text)
	return s.json.scan(text, from)
}

// checkLine wants that a line whose end is found by reading it is read as the judge does,
// whatever the next line is, and tells whether it was found so.
func (s scanned) checkLine(line []byte, next string) (whole bool) {
	s.t.Helper()
	line, _, _ = bytes.Cut(line, []byte("\n"))
	text, from := fmt.Appendf(nil, "%s\n%s\n%s\n", next, line, next), len(next)+1
	end, whole := s.json.scanLine(text, from)
	if !whole {
		return false
	}
	got := s.result(nil)
	s.json.record.reset(line)
	want := s.result(explain(s.json.object(trimLineEnd(line))))
	if got != want || end != from+len(line)+1 {
		s.t.Errorf("%q\nup to %d of %d is read as %s\nand judged %s", line, end-from, len(line)+1, got, want)
	}
	return true
}

// A scan that were never sure would read everything right, and slowly.
func TestTheScanIsSureOfWhatIsRight(t *testing.T) {
	quakes := newScanned(t, quakeSpec())
	for _, line := range bytes.Split(bytes.TrimSpace(readFile(t, "../testdata/quakes.ndjson")), []byte("\n")) {
		if !quakes.check(line) {
			t.Fatalf("in doubt of %s", line)
		}
	}
	nasty := newScanned(t, nastySpec())
	for _, line := range []string{
		`{}`, ` { } `, `{"time":1}`, "\t{ \"time\" : 1 ,\r\"id\" : \"a\" } ", `{"id":"größe 🌊","time":"1"}`, `{"größe":1,"time":2}`,
		`{"time":1,"id":"a\"b\\c\/\u00e9\ud83c\udf0a"}`, `{"time":1,"x":"a\nb"}`, `{"time":1,"doc":{"a":[1,{"b":"]}\""}]},"more":[ ]}`,
		`{"time":1e3,"mag":-0.5,"count":0,"ok":true,"place":null,"no":false}`, `{"":1,"time":1.5}`, `{"time":1,"id":"abcdefgh"}`,
		`{"time": 1, "id": "a", "count": 2}`, `{"time":1 ,"id":"a" , "count":2 }`,
	} {
		if !nasty.check([]byte(line)) {
			t.Errorf("in doubt of %s", line)
		}
	}
}

// What is wrong in any way is left to the judge, which has the reason.
func TestTheScanIsInDoubtOfWhatIsWrong(t *testing.T) {
	nasty := newScanned(t, nastySpec())
	for _, line := range []string{
		``, ` `, `{`, `}`, `[]`, `1`, `"a"`, `{}}`, `{} {}`, `{,}`, `{"time":1,}`, `{"time"}`, `{"time":}`, `{"time":1 "id":2}`, `{"time":1"id":2}`,
		`{time:1}`, `{"time":01}`, `{"time":-}`, `{"time":1.}`, `{"time":.5}`, `{"time":1e}`, `{"time":+1}`, `{"time":1,"x":nul}`, `{"time":1,"x":nulll}`, `{"time":1,"x":True}`,
		`{"time":1,"id":"a}`, `{"time":1,"id":"a\"}`, `{"time":1,"id":"\x"}`, `{"time":1,"id":"\ud800"}`, "{\"time\":1,\"id\":\"a\x01\"}", "{\"time\":1,\"id\":\"\xff\"}",
		"{\"time\":1,\"id\":\"abcdefgh\x1f\"}", "{\"time\":1,\"id\":\"abcdefghijklmno\xc3\"}", "{\"time\":1,\"\xff\":1}", "{\"time\":1,\"a\x00\":1}",
		`{"time":1,"time":1}`, `{"time":1,"id":null,"id":"a"}`, `{"time":1,"x":1,"x":2}`, `{"a":1,"\u0061":2,"time":1}`, `{"\u0061":2,"a":1,"time":1}`,
		`{"time":1,"doc":{"a":1,"a":2}}`, `{"time":1,"x":[1,]}`, `{"time":1,"x":{"a":"\ud800"}}`, `{"time":1,"x":[}`, `{"time":1,"x":[)]}`,
		`{"time":1,"x":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`, `{"time":1,"count":1.5}`, `{"time":"tomorrow"}`, `{"time":1,"id":{}}`,
	} {
		if nasty.check([]byte(line)) {
			t.Errorf("sure of %.100s", line)
		}
	}
}

// Names that come in another order, now and then, or never twice are all the same.
func TestTheScanKnowsNamesInAnyOrder(t *testing.T) {
	nasty := newScanned(t, nastySpec())
	random := rand.New(rand.NewPCG(3, 0))
	parts := []string{`"time":1`, `"id":"a"`, `"count":2`, `"more":{"a":1}`, `"less":3`, `"ok":true`, `"tim":1`, `"times":1`}
	for range 2000 {
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		nasty.check([]byte("{" + strings.Join(parts[:random.IntN(len(parts)+1)], ",") + "}"))
		nasty.check(fmt.Appendf(nil, `{"time":1,"only %d":2,"id":"x","id":"y"}`, random.Int()))
	}
	for i := range maxMembers {
		nasty.check(fmt.Appendf(nil, `{"time":1,"name %d":2}`, i))
	}
	if len(nasty.json.record.members.known) > maxMembers {
		t.Errorf("it knows %d names", len(nasty.json.record.members.known))
	}
}

// A line like the one before needs no search for its end, and never goes on into the next.
func TestALineLikeTheOneBeforeEndsWhereItsRecordDoes(t *testing.T) {
	nasty := newScanned(t, nastySpec())
	nasty.check([]byte(`{"time":1,"id":"a","count":2}`)) // names its members
	for _, line := range []string{
		`{"time":1,"id":"a","count":2}`, `{"time":1,"id":"","count":-2}` + "\r", `{"time": 1, "id": "größe", "count": 2 }`,
	} {
		if whole := nasty.checkLine([]byte(line), "}"); whole != !strings.Contains(line, "ö") {
			t.Errorf("%q: whole is %t", line, whole)
		}
	}
	for _, line := range []string{
		``, `{`, `{"time":1`, `{"time":1,"id":"a","count":2`, `{"time":1,"id":"a","count":2,`, `{"time":1,"id":"a","count":`, `{"time":1,"id":"a`,
		`{"time":1,"id":"a","count":2}}`, `{"time":1,"id":"a","count":2} `, `{"time":1,"id":"a","count":2}` + "\r\r", `{"time":1,"time":1}`,
	} {
		if nasty.checkLine([]byte(line), `}`) || nasty.checkLine([]byte(line), `,"count":3}`) || nasty.checkLine([]byte(line), `"}`) {
			t.Errorf("%q is found whole", line)
		}
	}
}

func FuzzTheScanReadsWhatTheJudgeReads(f *testing.F) {
	for _, path := range []string{"testdata/nasty.ndjson", "../testdata/quakes.ndjson"} {
		for i, line := range bytes.Split(readFile(f, path), []byte("\n")) {
			if i < 200 {
				f.Add(line)
			}
		}
	}
	f.Add([]byte(`{"time":1,"user":{"id": 7,"home":{"zip":"0800","x":1}},"magnitude":1.5,"old":{"mag":1.5}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, spec := range []landing.Spec{nastySpec(), pathSpec(), quakeSpec()} {
			s := newScanned(t, spec)
			s.check(line)
			s.check(line) // now that its names are known
		}
	})
}
