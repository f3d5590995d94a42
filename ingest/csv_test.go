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
		got, _ := decode(t, spec, Options{Format: FormatCSV, Delimiter: delimiter}, []byte(source))
		if !strings.Contains(got, `id="a;b" mag=4700`) {
			t.Errorf("delimiter %q: got %s", delimiter, got)
		}
	}
	for _, delimiter := range []byte{'"', '\n', '\r', 0xc3} {
		if _, err := NewDecoder(spec, Options{Delimiter: delimiter}); err == nil {
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
