package ingest

import (
	"errors"
	"strings"
	"testing"

	"strandline/landing"
)

func TestCSVHeaderThatDoesNotFitLandsNothingAndSaysWhy(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"id,Mag,time\n", `no column "mag" (the nearest is "Mag")`},
		{"id,magnitude,place,times\n", `no column "time" (the nearest is "times")`},
		{"id,mag,id,time\n", `column "id" twice`},
		{"id,\"mag,time\n", "header"},
		{"id,ma\"g,time\n", "quote"},
		{"id,mag\x00,time\n", "NUL"},
		{"id,mag\xff,time\n", "UTF-8"},
		{strings.Repeat("x", 2000) + "\n", "1024 bytes"},
		{"1517365101235,4.7\n", "no column"},
		{"time,id,mag,note\r1517365101235,a,1,x\r", "carriage return alone"}, // all that is declared comes before the first
		{"id;mag;time\n", `; the delimiter seems to be ';': declare csv: {delimiter: ";"}, or land it with --delimiter`},
		{"id\tmag\ttime\n", `; the delimiter seems to be '\t': declare csv: {delimiter: "\t"}`},
		{"\"id\"|\"mag\"|\"time\"\n", `; the delimiter seems to be '|'`},
	} {
		spec := nastySpec()
		spec.Columns = columns("id VARCHAR", "mag DECIMAL(6,3)")
		d, err := NewDecoder(spec, Options{Format: FormatCSV, MaxRecord: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		var sink collect
		_, err = d.Decode(strings.NewReader(c.source+"a,1,2\n"), &sink)
		if !errors.Is(err, ErrHeader) || !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.source, err, c.want)
		}
		if len(sink.order) > 0 {
			t.Errorf("%q: %d records were handed on", c.source, len(sink.order))
		}
	}
}

func TestCSVWithoutRecordsIsNoError(t *testing.T) {
	for _, source := range []string{"", "\xef\xbb\xbf", "\n\r\n", "id,mag,count,place,ok,doc,time", "\n\xef\xbb\xbf"[:1]} {
		if got, _ := decode(t, nastySpec(), Options{Format: FormatCSV}, []byte(source)); got != "" {
			t.Errorf("%q: got %s", source, got)
		}
	}
}

func TestCSVFieldsGoByNameAndDelimiter(t *testing.T) {
	spec := nastySpec()
	spec.Columns = columns("id VARCHAR", "mag DECIMAL(6,3)")
	for delimiter, source := range map[byte]string{
		';': "mag;time;id\n1,5;1517365101235;a,b\n4.7;1517365101235;\"a;b\"\n", '\t': "mag\ttime\tid\n4.7\t1517365101235\ta;b\n", '|': "mag|time|id\n4.7|1517365101235|a;b\n",
	} {
		got, _ := decode(t, spec, Options{Format: FormatCSV, CSV: CSV{Delimiter: delimiter}}, []byte(source))
		if !strings.Contains(got, `id="a;b" mag=4700`) {
			t.Errorf("delimiter %q: got %s", delimiter, got)
		}
	}
	for _, delimiter := range []byte{'"', '\n', '\r', 0xc3} {
		if _, err := NewDecoder(spec, Options{CSV: CSV{Delimiter: delimiter}}); err == nil {
			t.Errorf("delimiter %q was accepted", delimiter)
		}
	}
}

func TestEmptyCellIsNullAndQuotedOneIsTheEmptyText(t *testing.T) {
	spec := landing.Spec{Columns: columns("v VARCHAR", "n INTEGER", "b BLOB"), EventTime: landing.EventTime{Column: "t", Unit: "s"}}
	got, _ := decode(t, spec, Options{Format: FormatCSV}, []byte("t,v,n,b\n1,,,\n1,\"\",\"\",\"\"\n"))
	want := "line 2: 1970-01-01T00:00:01.000000Z v=NULL n=NULL b=NULL\nline 3: 1970-01-01T00:00:01.000000Z v=\"\" n=NULL b=\"\"\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func readCSV(t *testing.T, csv CSV, optional []string, source string) string {
	t.Helper()
	spec := landing.Spec{Columns: columns("v VARCHAR", "n INTEGER"), EventTime: landing.EventTime{Column: "t", Unit: "s"}}
	got, _ := decode(t, spec, Options{Format: FormatCSV, CSV: csv, Optional: optional}, []byte(source))
	return strings.ReplaceAll(got, "1970-01-01T00:00:01.000000Z ", "")
}

func TestCSVIsReadInTheDialectThatIsDeclared(t *testing.T) {
	header := []string{"t", "v", "n"}
	for _, c := range []struct {
		csv          CSV
		source, want string
	}{
		{CSV{Quote: '\''}, "t,v,n\n1,'it''s, \"so\"',2\n", `line 2: v="it's, \"so\"" n=2`},
		{CSV{Escape: '\\'}, "t,v,n\n1,\"a \\\"b\\\\\",2\n", `line 2: v="a \"b\\" n=2`},
		{CSV{Escape: '\\'}, "t,v,n\n1,\"a\\\nb\"\"c\",2\n1,d,3\n", "line 2: v=\"a\\nb\\\"c\" n=2\nline 4: v=\"d\" n=3"},
		{CSV{Escape: '"'}, "t,v,n\n1,\"a\"\"b\",2\n", `line 2: v="a\"b" n=2`},
		{CSV{Header: header}, "1,a,2\n", `line 1: v="a" n=2`},
		{CSV{Header: header, Delimiter: '\t'}, "1\ta,b\t2\n\n1\tc\t3", "line 1: v=\"a,b\" n=2\nline 3: v=\"c\" n=3"},
		{CSV{Header: header, Null: `\N`}, "1,\\N,\\N\n1,,\n1,\"\\N\",2\n", "line 1: v=NULL n=NULL\nline 2: v=\"\" n=NULL\nline 3: v=\"\\\\N\" n=2"},
	} {
		if got := strings.TrimSuffix(readCSV(t, c.csv, nil, c.source), "\n"); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.csv, got, c.want)
		}
	}
}

func TestADialectThatCanNotBeReadIsRefused(t *testing.T) {
	for _, csv := range []CSV{{Delimiter: '"'}, {Quote: ','}, {Delimiter: '\\', Escape: '\\'}, {Quote: '\n'}, {Escape: 0xff}} {
		if err := (Options{CSV: csv}).Validate(); err == nil {
			t.Errorf("%+v was accepted", csv)
		}
	}
}

func TestAnOptionalColumnMayBeMissing(t *testing.T) {
	if got := readCSV(t, CSV{}, []string{"n"}, "t,v\n1,a\n"); got != "line 2: v=\"a\" n=NULL\n" {
		t.Errorf("got %s", got)
	}
}

func TestARejectOfCSVKeepsItsHeader(t *testing.T) {
	d, err := NewDecoder(landing.Spec{Columns: columns("v VARCHAR"), EventTime: landing.EventTime{Column: "t", Unit: "s"}},
		Options{Format: FormatCSV, CSV: CSV{Delimiter: ';'}, MaxRecord: 100})
	if err != nil {
		t.Fatal(err)
	}
	var sink collect
	if _, err := d.Decode(strings.NewReader("t;\"v\"\nx;y\n"+strings.Repeat("z", rawKept+1)), &sink); err != nil {
		t.Fatal(err)
	}
	for i, r := range sink.rejects {
		if r.Context != "t;\"v\"" || r.Cut != (i == 1) {
			t.Errorf("reject %d has the context %q and cut %v", i, r.Context, r.Cut)
		}
	}
}

// Who posts declares nothing, and is told what the body seems to be alone.
func TestABodyInAnotherFormIsToBeSentAsTheStreamDeclares(t *testing.T) {
	for source, want := range map[string]string{
		"id;mag;time\n": "; the delimiter seems to be ';': send it as the stream declares",
	} {
		d, err := NewDecoder(nastySpec(), Options{Format: FormatCSV})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Decode(strings.NewReader(source), &collect{})
		file, body := OfFile.About(err), OfBody.About(err)
		if !errors.Is(body, ErrHeader) || !strings.HasSuffix(body.Error(), want) || strings.Contains(body.Error(), "declare ") {
			t.Errorf("%q: got %v, want %s", source, body, want)
		}
		if !strings.Contains(file.Error(), "or land it with --") {
			t.Errorf("%q: a file is told %v", source, file)
		}
	}
}
