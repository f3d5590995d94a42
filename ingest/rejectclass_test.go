package ingest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"strandline/landing"
)

// Rejects are counted by what is wrong with them, whatever the words in their values.
func TestEveryRejectHasItsClass(t *testing.T) {
	spec := landing.Spec{
		Stream: "events", EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
		Columns: columns("id VARCHAR", "n INTEGER"),
		Fields:  map[string][]landing.Path{"time": {{"time"}, {"at"}}, "n": {{"n"}, {"m"}}},
	}
	for _, c := range []struct {
		format Format
		record string
		want   landing.RejectClass
	}{
		{FormatNDJSON, `no json`, landing.RejectForm},
		{FormatNDJSON, `{"time":1772366400000`, landing.RejectForm},
		{FormatNDJSON, `[1]`, landing.RejectForm},
		{FormatNDJSON, `{"id":"a","id":"b","time":1772366400000}`, landing.RejectForm},
		{FormatNDJSON, `{"id":"a"}`, landing.RejectEventTime},
		{FormatNDJSON, `{"time":1}{`, landing.RejectForm},
		{FormatNDJSON, `{"time":99999999999999}`, landing.RejectEventTime},
		{FormatNDJSON, `{"time":"noon"}`, landing.RejectEventTime},
		{FormatNDJSON, `{"time":[]}`, landing.RejectEventTime},
		{FormatNDJSON, `{"time":1772366400000,"n":"many"}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"n":99999999999}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"n":{}}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"n":"NULL"}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"n":"event time"}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"n":"more than the limit of"}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"n":"it is not valid UTF-8"}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":"NUL, column n"}`, landing.RejectEventTime},
		{FormatNDJSON, `{"time":1,"time":2,"more than the limit of NUL":1,"more than the limit of NUL":2}`, landing.RejectForm},
		{FormatNDJSON, `{"time":1772366400000,"n":1,"m":2}`, landing.RejectColumn},
		{FormatNDJSON, `{"time":1772366400000,"at":1772366400001}`, landing.RejectEventTime},
		{FormatNDJSON, `{"time":1772366400000,"id":"` + "\xff" + `"}`, landing.RejectEncoding},
		{FormatNDJSON, `{"time":1772366400000,"id":"\u0000"}`, landing.RejectEncoding},
		{FormatNDJSON, `{"time":1772366400000,"id":"` + strings.Repeat("x", 2000) + `"}`, landing.RejectLength},
		{FormatJSON, `["NUL"]`, landing.RejectForm},
		{FormatJSON, `{"time":1772366400000,"n":"NULL"}`, landing.RejectColumn},
		{FormatJSON, `{"time":1772366400000,"id":"` + strings.Repeat("x", 2000) + `"}`, landing.RejectLength},
		{FormatCSV, "1772366400000,a,NULL", landing.RejectColumn},
		{FormatCSV, "1772366400000,a\x00,1", landing.RejectEncoding},
		{FormatCSV, "1772366400000,a", landing.RejectForm},
		{FormatCSV, `1772366400000,a"b,1`, landing.RejectForm},
		{FormatCSV, "1772366400000,\xff,1", landing.RejectEncoding},
		{FormatCSV, "1772366400000,a,many", landing.RejectColumn},
		{FormatCSV, ",a,1", landing.RejectEventTime},
		{FormatCSV, "1772366400000," + strings.Repeat("x", 2000) + ",1", landing.RejectLength},
	} {
		d, err := NewDecoder(spec, Options{Format: c.format, MaxRecord: 1000})
		if err != nil {
			t.Fatal(err)
		}
		source := c.record + "\n"
		if c.format == FormatCSV {
			source = "time,id,n\n" + source
		}
		var classes classesOf
		if _, err := d.Decode(strings.NewReader(source), &classes); err != nil || len(classes) != 1 || classes[0] != c.want {
			t.Errorf("%.80s: got %v, %v, want %v", c.record, classes, err, c.want)
		}
	}
}

// Rows of a typed file have the classes that records of text have.
func TestEveryRejectOfATypedFileHasItsClass(t *testing.T) {
	spec := landing.Spec{
		Stream: "events", EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
		Columns: columns("id VARCHAR", "n INTEGER"),
	}
	type row struct {
		Time int64  `parquet:"time"`
		ID   []byte `parquet:"id"`
		N    string `parquet:"n"`
	}
	const noon = 1772366400000
	var file bytes.Buffer
	if err := parquet.Write(&file, []row{
		{noon, []byte("a"), "NUL"}, {1 << 60, nil, "1"}, {noon, []byte("\xff"), "1"}, {noon, []byte("\x00"), "1"},
		{noon, []byte(strings.Repeat("x", 2000)), "1"},
	}); err != nil {
		t.Fatal(err)
	}
	d, err := NewDecoder(spec, Options{Format: FormatParquet, MaxRecord: 1000, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var got classesOf
	_, err = d.Decode(&file, &got)
	want := classesOf{landing.RejectColumn, landing.RejectEventTime, landing.RejectEncoding, landing.RejectEncoding, landing.RejectLength}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// A message alone has them too.
func TestARejectOfOneRecordHasItsClass(t *testing.T) {
	spec := landing.Spec{Stream: "events", EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis}, Columns: columns("n INTEGER")}
	d, err := NewDecoder(spec, Options{Format: FormatJSON, MaxRecord: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got classesOf
	for _, record := range []string{`{"time":1772366400000,"n":"NUL"}`, `NUL`, `{"n":1}`, `"` + strings.Repeat("x", 200) + `"`} {
		if err := d.One([]byte(record), "", 0, &got); err != nil {
			t.Fatal(err)
		}
	}
	if want := (classesOf{landing.RejectColumn, landing.RejectForm, landing.RejectEventTime, landing.RejectLength}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

type classesOf []landing.RejectClass

func (c *classesOf) Add(landing.Row) error { return nil }

func (c *classesOf) Reject(r landing.Reject) error {
	*c = append(*c, r.Class)
	return nil
}
