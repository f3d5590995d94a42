package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
)

// retrySpec declares a stream whose n is of a type.
func retrySpec(kind string) landing.Spec {
	return landing.Spec{
		Stream: "s", EventTime: landing.EventTime{Column: "t", Unit: landing.UnitSeconds}, Columns: columns("n "+kind, "v VARCHAR"),
	}
}

func openAs(t *testing.T, store objstore.Store, kind string, o log.Options) *landing.Stream {
	t.Helper()
	return landing.Open(store, retrySpec(kind), landing.Options{Scratch: t.TempDir(), Log: o})
}

func everything(landing.LandedReject) bool { return true }

// retryAll lands all rejects of a stream that can be read.
func retryAll(s *landing.Stream, store objstore.Store, dir string, o Options) (RetryOutcome, error) {
	files := localfile.New(store, dir, 0)
	return RetryRejects(context.Background(), s, o, Retry{
		Rejects: func(fn func(landing.LandedReject) error) error { return s.Rejects(context.Background(), files, fn) },
		Wanted:  everything,
	})
}

// rowsOf lists the rows of a stream, as source, source position and values.
func rowsOf(t *testing.T, s *landing.Stream, store objstore.Store) (rows []string) {
	t.Helper()
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var segments []landing.Segment
	s.View(func(state *landing.State) { segments = state.Segments() })
	paths, release, err := s.Fetch(t.Context(), localfile.New(store, t.TempDir(), 0), segments)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, path := range paths {
		file, err := datafile.Open(path)
		if err == nil {
			err = file.Scan(func(row []datafile.Value) error {
				rows = append(rows, fmt.Sprintf("%s:%d %v %s %s", row[3].ByteArray(), row[4].Int64(), row[5], row[6].ByteArray(), row[7].ByteArray()))
				return nil
			})
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func landText(t *testing.T, s *landing.Stream, name, text string, o Options) Outcome {
	t.Helper()
	outcome, err := LandReader(t.Context(), s, strings.NewReader(text), name, o)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestRejectsLandAgainUnderTheirOwnSourceOnceTheyCanBeRead(t *testing.T) {
	store := objstore.NewMemory()
	before := openAs(t, store, "TINYINT", log.Options{})
	landText(t, before, "a", `{"t":1,"n":1}`+"\n"+`{"t":2,"n":300,"v":"x","more":1}`+"\n{\n"+`{"t":4,"n":400}`, Options{})
	landText(t, before, "b", "\n"+`{"t":5,"n":500}`+"\n", Options{})

	s := openAs(t, store, "INTEGER", log.Options{})
	files := localfile.New(store, t.TempDir(), 0)
	var left []string
	retry := Retry{
		Rejects: func(fn func(landing.LandedReject) error) error { return s.Rejects(t.Context(), files, fn) },
		Wanted:  func(r landing.LandedReject) bool { return r.Source == "a" },
		Left: func(r landing.LandedReject, reason string) error {
			left = append(left, fmt.Sprint(r.Source, r.SourcePosition, reason))
			return nil
		},
		DryRun: true,
	}
	planned, err := RetryRejects(t.Context(), s, Options{}, retry)
	if err != nil || planned.Readable != 2 || planned.Left != 1 || planned.Rows() != 0 || s.Next() != 1 {
		t.Fatalf("a dry run says %+v (%v), and leaves %d rows", planned, err, s.Next())
	}
	retry.DryRun = false
	done, err := RetryRejects(t.Context(), s, Options{}, retry)
	if err != nil || done.Readable != 2 || done.Left != 1 || done.From != 1 || done.To != 3 {
		t.Fatalf("landed again: %+v (%v)", done, err)
	}
	if len(left) != 2 || left[0] != left[1] || !strings.HasPrefix(left[0], "a3") || !strings.Contains(left[0], "too early") {
		t.Errorf("what is left was told as %q", left)
	}
	for want := int64(1); want >= 0; want-- { // first the one of b, then none
		outcome, err := retryAll(s, store, t.TempDir(), Options{})
		if err != nil || outcome.Rows() != want || outcome.Readable != want || outcome.Left != 1 {
			t.Fatalf("landed again: %+v (%v), want %d", outcome, err, want)
		}
	}
	want := []string{"a:1 1  ", `a:2 300 x {"more":1}`, "a:4 400  ", "b:2 500  "}
	if rows := rowsOf(t, s, store); !slices.Equal(rows, want) {
		t.Errorf("the rows are\n%q, want\n%q", rows, want)
	}
}

// Only rows fix what an event time is, so that a stream of nothing but rejects is mended.
func TestRejectsOfAWrongEventTimeLandAgainOnceItIsMended(t *testing.T) {
	store := objstore.NewMemory()
	spec := retrySpec("BIGINT")
	spec.EventTime.Column = "time"
	wrong := landing.Open(store, spec, landing.Options{Scratch: t.TempDir()})
	if out := landText(t, wrong, "a", `{"t":1,"n":1}`+"\n"+`{"t":2,"n":2}`, Options{}); out.Rejects != 2 {
		t.Fatalf("landed %+v", out)
	}
	out, err := retryAll(openAs(t, store, "BIGINT", log.Options{}), store, t.TempDir(), Options{})
	if err != nil || out.Rows() != 2 {
		t.Fatalf("landed again: %+v (%v)", out, err)
	}
}

func TestRejectsOfCSVLandAgainBelowTheirHeader(t *testing.T) {
	store := objstore.NewMemory()
	o := Options{Format: FormatCSV}
	before := openAs(t, store, "TINYINT", log.Options{})
	landText(t, before, "a", "t,n,v\n1,300,\"x\ny\"\n", o)
	landText(t, before, "b", "v,extra,t,n\nz,e,3,400\n", o)
	s := openAs(t, store, "INTEGER", log.Options{})
	if outcome, err := retryAll(s, store, t.TempDir(), o); err != nil || outcome.Rows() != 2 || outcome.Left != 0 {
		t.Fatalf("landed again: %+v (%v)", outcome, err)
	}
	want := []string{"a:2 300 x\ny ", `b:2 400 z {"extra":"e"}`}
	if rows := rowsOf(t, s, store); !slices.Equal(rows, want) {
		t.Errorf("the rows are %q, want %q", rows, want)
	}
}

// What was not of the stream's own format, such as a post, is read again as what it was.
func TestRejectsOfAnotherFormatThanTheStreamsLandAgain(t *testing.T) {
	store := objstore.NewMemory()
	before := openAs(t, store, "TINYINT", log.Options{})
	landText(t, before, "csv", "t,n,v\n1,300,x\n", Options{Format: FormatCSV})
	landText(t, before, "json", "[{\"t\":2,\n\"n\":300}]", Options{Format: FormatJSON})
	landText(t, before, "ndjson", `{"t":3,"n":300}`, Options{})
	for _, kind := range []string{"TINYINT", "INTEGER"} {
		for _, format := range []Format{FormatCSV, FormatJSON, FormatNDJSON} {
			s := openAs(t, store, kind, log.Options{})
			outcome, err := retryAll(s, store, t.TempDir(), Options{Format: format})
			want := int64(0)
			if kind == "INTEGER" && format == FormatCSV {
				want = 3
			}
			if err != nil || outcome.Rows() != want {
				t.Errorf("in a stream of %s with %s landed again %+v (%v), want %d", format, kind, outcome, err, want)
			}
		}
	}
	want := []string{"csv:2 300 x ", "json:1 300  ", "ndjson:1 300  "}
	if rows := rowsOf(t, openAs(t, store, "INTEGER", log.Options{}), store); !slices.Equal(rows, want) {
		t.Errorf("the rows are %q, want %q", rows, want)
	}
}

// A file that was landed with a delimiter of its own is read again by that, and by the stream's where that
// one was the fault; what was landed with the stream's is read by the stream's of now.
func TestRejectsOfADelimiterOfTheirOwnLandAgain(t *testing.T) {
	store := objstore.NewMemory()
	declared := CSV{Header: []string{"t", "n", "v"}}
	own := func(delimiter byte, header ...string) Options {
		return Options{Format: FormatCSV, CSV: CSV{Delimiter: delimiter, Own: true, Header: header}}
	}
	before := openAs(t, store, "TINYINT", log.Options{})
	landText(t, before, "own", "t;n;v\n1;300;x,y\n", own(';'))
	landText(t, before, "headless", "2;400;x,y\n", own(';', "t", "n", "v"))
	landText(t, before, "wrong", "3,500,x|y\n", own('|', "t", "n", "v"))
	landText(t, before, "declared", "4,600,x\n", Options{Format: FormatCSV, CSV: declared})
	landText(t, before, "mended", "5\t700\tx\n", Options{Format: FormatCSV, CSV: declared})
	s := openAs(t, store, "INTEGER", log.Options{})
	outcome, err := retryAll(s, store, t.TempDir(), Options{Format: FormatCSV, CSV: declared})
	if err != nil || outcome.Rows() != 4 || outcome.Left != 1 {
		t.Fatalf("landed again: %+v (%v)", outcome, err)
	}
	declared.Delimiter = '\t'
	if outcome, err := retryAll(s, store, t.TempDir(), Options{Format: FormatCSV, CSV: declared}); err != nil || outcome.Rows() != 1 {
		t.Fatalf("once the declaration is mended: %+v (%v)", outcome, err)
	}
	want := []string{"own:2 300 x,y ", "headless:1 400 x,y ", "wrong:1 500 x|y ", "declared:1 600 x ", "mended:1 700 x "}
	if rows := rowsOf(t, s, store); !slices.Equal(rows, want) {
		t.Errorf("the rows are %q, want %q", rows, want)
	}
}

func TestARejectThatIsNotOneWholeRecordStays(t *testing.T) {
	headless := Options{Format: FormatCSV, CSV: CSV{Header: []string{"t", "n", "v"}}}
	for name, c := range map[string]struct {
		reject  landing.Reject
		o       Options
		problem string
	}{
		"cut":             {landing.Reject{Raw: []byte(`{"t":1,"n":1}`), Cut: true}, Options{}, "only the first 13 bytes were kept"},
		"headless":        {landing.Reject{Raw: []byte("t,n,v")}, Options{Format: FormatCSV}, "header is not known"},
		"another header":  {landing.Reject{Raw: []byte("1,2,3"), Context: "a,b,c"}, Options{Format: FormatCSV}, `no column "t"`},
		"several records": {landing.Reject{Raw: []byte("1,2,3\n4,5,6"), Context: "t,n,v"}, Options{Format: FormatCSV}, "read as 2 records"},
		"nothing":         {landing.Reject{Raw: []byte(""), Context: "t,n,v"}, Options{Format: FormatCSV}, "read as 0 records"},
		"of a format":     {landing.Reject{Raw: []byte("1,2"), Format: "csv"}, headless, "the record has 2 cells"},
	} {
		d, err := NewDecoder(retrySpec("BIGINT"), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if row, err := d.again(c.reject); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, %v; want %q", name, row, err, c.problem)
		}
	}
	d, err := NewDecoder(retrySpec("BIGINT"), headless)
	if err != nil {
		t.Fatal(err)
	}
	if row, err := d.again(landing.Reject{Raw: []byte("1,2,3"), SourcePosition: 9}); err != nil || row.SourcePosition != 9 || row.EventTime != 1e6 {
		t.Errorf("a record without a header is %+v (%v)", row, err)
	}
}

// manyRejects lands 60 records of 3 sources, of which 40 can be read once n may be large.
func manyRejects(t *testing.T, store objstore.Store) {
	t.Helper()
	s := openAs(t, store, "TINYINT", log.Options{})
	for _, source := range []string{"a", "b", "c"} {
		var text strings.Builder
		for i := range 20 {
			fmt.Fprintf(&text, `{"t":%d,"n":%d,"v":"%s"}`+"\n", i, 300+i, source)
			if i%3 == 0 {
				text.WriteString("{\n")
			}
		}
		landText(t, s, source, text.String(), Options{})
	}
}

// eachOnce wants all rejects that can be read as rows, once.
func eachOnce(t *testing.T, what string, store objstore.Store) {
	t.Helper()
	s := openAs(t, store, "INTEGER", log.Options{})
	rows := rowsOf(t, s, store)
	slices.Sort(rows)
	if len(rows) != 60 || len(slices.Compact(rows)) != 60 {
		t.Fatalf("%s: %d rows, want 60 that differ", what, len(rows))
	}
	s.View(func(state *landing.State) {
		if state.PendingRejects() != 21 || state.RetriedRejects() != 60 {
			t.Fatalf("%s: %d rejects are pending and %d landed again", what, state.PendingRejects(), state.RetriedRejects())
		}
	})
}

func TestRejectsLandAgainOnceWhoeverTriesAndWhateverAnswersGetLost(t *testing.T) {
	for seed := range uint64(3) {
		memory := objstore.NewMemory()
		manyRejects(t, memory)
		store := objstore.NewFault(memory, objstore.SeededFaults(seed, 0.1))
		var group errgroup.Group
		for range 4 {
			s, dir := openAs(t, store, "INTEGER", log.Options{}), t.TempDir()
			group.Go(func() error {
				if _, err := retryAll(s, store, dir, Options{}); errors.Is(err, log.ErrCorrupt) {
					return err
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := retryAll(openAs(t, memory, "INTEGER", log.Options{}), memory, t.TempDir(), Options{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		eachOnce(t, fmt.Sprint("seed ", seed), memory)
	}
}

// Whoever lands rejects again may die at any call, done or not.
func TestDyingAtEveryCallOfARetryLandsEachRejectOnce(t *testing.T) {
	givesUp := log.Options{Pause: func(context.Context, time.Duration) error { return errors.New("dead") }}
	for _, done := range []bool{false, true} {
		for at, died := int64(0), true; died; at++ {
			memory := objstore.NewMemory()
			manyRejects(t, memory)
			var calls atomic.Int64
			store := objstore.NewFault(memory, func(objstore.Op, string) objstore.Action {
				switch n := calls.Add(1) - 1; {
				case n < at:
					return objstore.Pass
				case n == at && done:
					return objstore.LoseAnswer
				}
				return objstore.Fail
			})
			_, _ = retryAll(openAs(t, store, "INTEGER", givesUp), store, t.TempDir(), Options{})
			died = calls.Load() > at
			if _, err := retryAll(openAs(t, memory, "INTEGER", log.Options{}), memory, t.TempDir(), Options{}); err != nil {
				t.Fatalf("died at call %d: %v", at, err)
			}
			eachOnce(t, fmt.Sprint("died at call ", at), memory)
		}
	}
}
