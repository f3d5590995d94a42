package sweep

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// reading publishes a receipt of a table that read streams up to positions.
func (l lake) reading(table string, read manifests.Positions) {
	l.Helper()
	r := empty(1)
	r.Positions = read
	t := manifests.Open(l.store, table, manifests.Options{})
	_, err := t.Publish(l.Context(), manifests.Proposal{Receipts: []manifests.Receipt{r}})
	l.ok(err)
}

// orphansOf are files that nothing names, one of a stream and one of each table.
func orphansOf(stream string, tables ...string) []string {
	keys := []string{landing.SegmentKey(stream, id(99))}
	for _, table := range tables {
		keys = append(keys, manifests.DataKey(table, "2026-03-01", id(98)))
	}
	return keys
}

// What contradicts the landing log keeps the stream, and all that read it, from
// being swept, whether it is declared or not; the others are.
func TestWhatContradictsTheLandingLogIsNotSwept(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.reading("ahead", manifests.Positions{"sales": 2})
	l.reading("beside", manifests.Positions{"sales": 1})
	l.reading("other", manifests.Positions{"nix": 0})
	l.put(orphansOf("sales", "ahead", "beside", "other")...)
	l.wait(time.Hour)
	for _, dryRun := range []bool{true, false} {
		report, err := Run(t.Context(), l.store, Options{DryRun: dryRun, Retention: keep(manifests.Retention{Versions: 1})})
		if !errors.Is(err, window.ErrHistory) || strings.Count(err.Error(), "restore") != 1 {
			t.Errorf("dry run %t: got %v, want one ErrHistory", dryRun, err)
		}
		for _, part := range report.Parts {
			if left := part.Name != "other"; left != (part.Trouble != "") || left != (part.Swept.Objects == 0) {
				t.Errorf("dry run %t: %+v", dryRun, part)
			}
		}
	}
	for _, log := range []string{"landing/sales", "tables/ahead", "tables/beside"} {
		if n := l.entries(log); n != 1 {
			t.Errorf("%s has %d entries, want the one that it had", log, n)
		}
	}
	l.land("b") // as a restore would
	gone, _ := l.sweep(Options{})
	l.wantGone(gone, orphansOf("sales", "ahead", "beside")...)
}

// A stream that is gone altogether is one that lost all its entries.
func TestAStreamWithoutALogIsNotSweptWhileATableHasReadIt(t *testing.T) {
	l := newLake(t)
	l.reading("ahead", manifests.Positions{"sales": 2})
	l.put(orphansOf("sales", "ahead")...)
	l.wait(time.Hour)
	report, err := Run(t.Context(), l.store, Options{})
	if !errors.Is(err, window.ErrHistory) || report.Foreign.Objects != 0 {
		t.Errorf("got %v, %+v", err, report)
	}
}

func TestADeclaredTableIsHeldAgainstItsStreamByAllThatIsKnown(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.reading("mine", manifests.Positions{"sales": 1})
	l.put(orphansOf("sales", "mine")...)
	l.wait(time.Hour)
	checked := 0
	check := func(context.Context) error { checked++; return window.ErrHistory }
	readers := []Reader{{"mine", []string{"sales"}, check}, {"unborn", []string{"sales"}, check}}
	report, err := Run(t.Context(), l.store, Options{Readers: readers})
	if !errors.Is(err, window.ErrHistory) || checked != 1 || report.Parts[0].Trouble == "" || report.Parts[1].Trouble == "" {
		t.Errorf("got %v, %+v, after %d checks", err, report, checked)
	}
	l.wantNamedThere()
}
