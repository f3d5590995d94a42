package ingest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"strandline/landing"
)

// collect is a sink that keeps what it gets.
type collect struct {
	rows    []landing.Row
	rejects []landing.Reject
	order   []int64 // the source positions of both
}

func (c *collect) Add(r landing.Row) error {
	r.Values = slices.Clone(r.Values)
	for i, v := range r.Values {
		r.Values[i] = v.Clone()
	}
	c.rows, c.order = append(c.rows, r), append(c.order, r.SourcePosition)
	return nil
}

func (c *collect) Reject(r landing.Reject) error {
	r.Raw = bytes.Clone(r.Raw)
	c.order = append(c.order, r.SourcePosition)
	c.rejects = append(c.rejects, r)
	return nil
}

func TestOverlongRecordIsARejectCutShortAndItsNeighboursLand(t *testing.T) {
	for _, c := range []struct {
		format             Format
		header, row, begin string
	}{
		{FormatNDJSON, "", `{"time":1,"id":"n"}` + "\n", `{"time":1,"id":"`},
		{FormatCSV, "time,id\n", "1,n\n", "1,"},
	} {
		long := c.begin + strings.Repeat("x", 3<<20) + "\n"
		source := c.header + c.row + long + c.row + long + c.row + strings.TrimSuffix(long, "\n")
		d, err := NewDecoder(landing.Spec{Columns: columns("id VARCHAR"), EventTime: landing.EventTime{Column: "time", Unit: "s"}},
			Options{Format: c.format, MaxRecord: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var sink collect
		if _, err := d.Decode(strings.NewReader(source), &sink); err != nil {
			t.Fatal(err)
		}
		if len(sink.rows) != 3 || len(sink.rejects) != 3 {
			t.Fatalf("%s: got %d rows and %d rejects, want 3 and 3", c.format, len(sink.rows), len(sink.rejects))
		}
		first := int64(strings.Count(c.header, "\n"))
		for i, r := range sink.rejects {
			if r.SourcePosition != first+int64(2*i)+2 || string(r.Raw) != long[:rawKept] {
				t.Errorf("%s: reject at %d with %d bytes", c.format, r.SourcePosition, len(r.Raw))
			}
			if want := fmt.Sprintf("%d bytes", len(long)-1); !strings.Contains(r.Reason, want) || !strings.Contains(r.Reason, "kept") {
				t.Errorf("%s: reason %q, want it to name %s and that the rest is not kept", c.format, r.Reason, want)
			}
		}
	}
}

// endless is a source that never has a line end and counts what it is asked for.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), e.left))
	e.left -= int64(n)
	for i := range p[:n] {
		p[i] = '"'
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestMemoryStaysBoundedOnASourceOfOneEndlessLine(t *testing.T) {
	ahead := newLookahead(&endless{left: 256 << 20})
	if _, ok := ahead.lineEnd(0, 1<<20); ok {
		t.Fatal("an endless line was given out")
	}
	_, length := ahead.skipLine(rawKept)
	if length != 256<<20 || len(ahead.buf) > 4<<20 {
		t.Errorf("skipped %d bytes with a buffer of %d, want all with less than 4 MiB", length, len(ahead.buf))
	}
}

func TestNeverClosedQuoteCostsOnlyItsOwnLine(t *testing.T) {
	row := "1,\"a\nb\"\n"
	source := "time,id\n" + row + "1,\"" + "open\n" + strings.Repeat("1,n\n", 300_000)
	d, err := NewDecoder(landing.Spec{Columns: columns("id VARCHAR"), EventTime: landing.EventTime{Column: "time", Unit: "s"}},
		Options{Format: FormatCSV, MaxRecord: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := d.Decode(strings.NewReader(source), &tally{})
	if want := (Counts{Rows: 300_001, Rejects: 1}); err != nil || counts != want {
		t.Errorf("got %+v, %v, want %+v", counts, err, want)
	}
}

func TestDecodingDoesNotDependOnHowTheBytesCome(t *testing.T) {
	for _, format := range []Format{FormatNDJSON, FormatCSV} {
		source := readFile(t, "testdata/nasty."+string(format))
		want, _ := decode(t, nastySpec(), Options{Format: format}, source)
		for name, r := range map[string]io.Reader{
			"one byte":      iotest.OneByteReader(bytes.NewReader(source)),
			"half":          iotest.HalfReader(bytes.NewReader(source)),
			"data with EOF": iotest.DataErrReader(bytes.NewReader(source)),
		} {
			s := &scribe{columns: nastySpec().Columns}
			d, _ := NewDecoder(nastySpec(), Options{Format: format})
			if _, err := d.Decode(r, s); err != nil || s.out.String() != want {
				t.Errorf("%s read by %s differs (%v)", format, name, err)
			}
		}
	}
}

func TestErrorOfTheSourceOrTheSinkEndsTheDecoding(t *testing.T) {
	for _, format := range []Format{FormatNDJSON, FormatCSV} {
		d, _ := NewDecoder(nastySpec(), Options{Format: format})
		source := readFile(t, "testdata/nasty."+string(format))
		broken := io.MultiReader(bytes.NewReader(source), iotest.ErrReader(io.ErrClosedPipe))
		if _, err := d.Decode(broken, &tally{}); err != io.ErrClosedPipe {
			t.Errorf("%s: got %v, want the source's error", format, err)
		}
		if _, err := d.Decode(bytes.NewReader(source), full{}); err != io.ErrShortWrite {
			t.Errorf("%s: got %v, want the sink's error", format, err)
		}
	}
}

// full is a sink that takes nothing.
type full struct{}

func (full) Add(landing.Row) error       { return io.ErrShortWrite }
func (full) Reject(landing.Reject) error { return io.ErrShortWrite }
