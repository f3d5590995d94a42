package window

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"strandline/internal/digest"
	"strandline/landing"
)

// The key of a job without windows tells rows of one partition apart only.
func TestWhatTellsTheRowsOfATableApartHasItsTime(t *testing.T) {
	for _, test := range []struct {
		shape TableShape
		want  []string
	}{
		{TableShape{Key: []string{"window_start", "shop"}, Time: "window_start"}, []string{"event_time", "shop"}},
		{TableShape{Key: []string{"id"}, Time: "at"}, []string{"id", "event_time"}},
		{TableShape{Key: []string{"id", "AT"}, Time: "at"}, []string{"id", "event_time"}},
	} {
		if got := test.shape.unique(); !slices.Equal(got, test.want) {
			t.Errorf("of %+v it is %v, want %v", test.shape, got, test.want)
		}
	}
}

// A column of the key that gives way to one of the relation's own tells nothing apart.
func TestATableWhoseKeyIsHiddenIsNotRead(t *testing.T) {
	for _, test := range []struct {
		shape  TableShape
		hidden string
	}{
		{TableShape{Key: []string{"window_start", "shop"}, Time: "window_start"}, ""},
		{TableShape{Key: []string{"Event_Time"}, Time: "event_time"}, ""},
		{TableShape{Key: []string{"event_time"}, Time: "ts"}, "event_time"},
		{TableShape{Key: []string{"id", "Window_Start"}, Time: "ts"}, "Window_Start"},
		{TableShape{Key: []string{"window_start", "window_end"}, Time: "window_start"}, "window_end"},
	} {
		job := Job{Name: "down", Inputs: []Input{{Name: "up", Table: true}}}
		if got := test.shape.hidden(); got != test.hidden {
			t.Errorf("of %+v %q is hidden, want %q", test.shape, got, test.hidden)
		}
		if test.hidden == "" {
			continue
		}
		if _, err := Compile(t.Context(), nil, job, Shape{Table: test.shape}); !errors.Is(err, ErrJob) || !strings.Contains(err.Error(), "table up has "+test.hidden+" in its key") {
			t.Errorf("%+v: got %v, want it refused", test.shape, err)
		}
	}
}

// Pieces of a table are found by the span that they have a part in, and rows that are
// none count for nothing.
func TestPartsOfATableAreThoseThatASpanTouches(t *testing.T) {
	h := tableHead{version: 3, pieces: []piece{{span: span{0, 10}, rows: 1}, {span: span{10, 20}, rows: 2}, {span: span{30, 40}, rows: 4}}}
	for _, test := range []struct {
		of   span
		rows int64
	}{
		{span{0, 40}, 7}, {span{9, 10}, 1}, {span{10, 11}, 2}, {span{20, 30}, 0}, {span{19, 31}, 6}, {span{5, 5}, 0}, {span{-5, 0}, 0}, {span{40, 50}, 0},
	} {
		if got := h.sum(test.of); got.Rows != test.rows || got.Digest.IsZero() != (test.rows == 0) {
			t.Errorf("of %v it sums up %+v, want %d rows", test.of, got, test.rows)
		}
	}
}

// The same rows of another input are another input, and an input without rows is none.
func TestInputsTogetherSayWhoseTheirRowsAre(t *testing.T) {
	rows, none := landing.Input{Rows: 2, Digest: digest.OfBytes([]byte("rows"))}, landing.Input{}
	inputs := []Input{{Name: "a"}, {Name: "a", Table: true}}
	a, b := parts{rows, none}.joined(inputs), parts{none, rows}.joined(inputs)
	if a.Digest == b.Digest || a.Rows != 2 || b.Rows != 2 {
		t.Errorf("got %+v and %+v", a, b)
	}
	if got := (parts{rows}.joined(inputs[:1])); got != a {
		t.Errorf("beside an input without rows they are %+v, alone %+v", a, got)
	}
	if got := (parts{none, none}.joined(inputs)); got != none {
		t.Errorf("of no rows it is %+v", got)
	}
}
