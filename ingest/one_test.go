package ingest_test

import (
	"strings"
	"testing"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/landing"
)

// kept keeps what a Decoder hands over.
type kept struct {
	rows    []string // declared values and extra
	rejects []landing.Reject
}

func (k *kept) Add(r landing.Row) error {
	var row strings.Builder
	for _, v := range r.Values {
		row.WriteString(v.String() + " ")
	}
	k.rows = append(k.rows, row.String()+r.Extra)
	return nil
}

func (k *kept) Reject(r landing.Reject) error {
	k.rejects = append(k.rejects, r)
	return nil
}

var oneSpec = landing.Spec{
	Stream:    "s",
	EventTime: landing.EventTime{Column: "_timestamp", Unit: landing.UnitMillis},
	Columns:   []datafile.Column{{Name: "v", Type: datafile.Type{Kind: datafile.BigInt}}, {Name: "_key", Type: datafile.Type{Kind: datafile.Varchar}}},
}

func TestOneRecordIsReadWithItsContext(t *testing.T) {
	const at = `"_timestamp":1793534400000`
	for _, c := range []struct{ raw, context, row, reason string }{
		{`{"v":1}`, `{"_key":"k",` + at + `}`, `1 k `, ""},
		{" \n{ \"v\" : 1 ,\n \"w\": [2] }\n", `{"_key":"k",` + at + `}`, `1 k {"w":[2]}`, ""},
		{`{}`, `{"_key":"k",` + at + `,"_more":{"a":"b"}}`, `<null> k {"_more":{"a":"b"}}`, ""},
		{`{ }`, `{` + at + `}`, `<null> <null> `, ""},
		{`{"v":1,` + at + `}`, ``, `1 <null> `, ""},
		{`{"v":1,` + at + `}`, `{}`, `1 <null> `, ""},
		{``, `{"_tombstone":true,"_key":"k",` + at + `}`, `<null> k {"_tombstone":true}`, ""},
		{``, `{"_key":"k",` + at + `}`, ``, "the record is empty, want one JSON object"},
		{` `, `{"_key":"k",` + at + `}`, ``, "the record is empty, want one JSON object"},
		{`{"v":1}`, `{"_key":"k"}`, ``, "event time is missing"},
		{`{"v":1,"_key":"mine"}`, `{"_key":"k",` + at + `}`, ``, `an object has the name "_key" twice`},
		{`{"v":1}{"v":2}`, `{` + at + `}`, ``, "after the JSON object"},
		{`{"v":1`, `{` + at + `}`, ``, "the JSON object ends too early"},
		{`{"v":"}`, `{` + at + `}`, ``, "the JSON object ends too early"},
		{`{,"v":1}`, `{` + at + `}`, ``, "at byte 2"}, // of the value, whatever stands before it
		{`[1]`, `{` + at + `}`, ``, "an array, want one JSON object"},
		{`{"v":"x"}`, `{` + at + `}`, ``, "column v"},
	} {
		t.Run(c.raw, func(t *testing.T) {
			d, err := ingest.NewDecoder(oneSpec, ingest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got kept
			for range 2 { // the second must know nothing of the first
				got = kept{}
				if err := d.One([]byte(c.raw), c.context, 7, &got); err != nil {
					t.Fatal(err)
				}
			}
			if c.reason == "" {
				if len(got.rows) != 1 || got.rows[0] != c.row {
					t.Fatalf("it is read as %q, with the rejects %v; want %q", got.rows, got.rejects, c.row)
				}
				return
			}
			if len(got.rows) != 0 || len(got.rejects) != 1 {
				t.Fatalf("it is read as %q, with %d rejects", got.rows, len(got.rejects))
			}
			if r := got.rejects[0]; !strings.Contains(r.Reason, c.reason) || string(r.Raw) != c.raw || r.Context != c.context || r.SourcePosition != 7 {
				t.Errorf("the reject is %+v, want the reason %q", r, c.reason)
			}
		})
	}
}

func TestARecordThatIsTooLongIsARejectThatKeepsItsBeginning(t *testing.T) {
	d, err := ingest.NewDecoder(oneSpec, ingest.Options{MaxRecord: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got kept
	long := []byte(`{"v":1,"w":"` + strings.Repeat("x", 100<<10) + `"}`)
	if err := d.One(long, "", 1, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.rejects) != 1 || !got.rejects[0].Cut || len(got.rejects[0].Raw) != 64<<10 || !strings.Contains(got.rejects[0].Reason, "more than the limit of 100") {
		t.Errorf("it is read as %+v", got)
	}
}
