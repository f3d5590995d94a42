package ingest

import (
	"strings"
	"testing"

	"strandline/landing"
)

// Reasons are counted by what they say. A reason that is worded anew has to stay in its class.
func TestEveryReasonHasItsClass(t *testing.T) {
	spec := landing.Spec{
		Stream: "events", EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
		Columns: columns("id VARCHAR", "n INTEGER"),
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
		{FormatNDJSON, `{"time":1772366400000,"id":"` + "\xff" + `"}`, landing.RejectEncoding},
		{FormatNDJSON, `{"time":1772366400000,"id":"` + strings.Repeat("x", 2000) + `"}`, landing.RejectLength},
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

type classesOf []landing.RejectClass

func (c *classesOf) Add(landing.Row) error { return nil }

func (c *classesOf) Reject(r landing.Reject) error {
	*c = append(*c, landing.ClassOf(r.Reason))
	return nil
}
