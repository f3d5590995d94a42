package sweep

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
)

// often is a log with a checkpoint every ten entries.
var often = log.Options{CheckpointEvery: 10}

// grow has the stream's log and the table's grow by so many entries.
func (l lake) grow(entries int) {
	l.Helper()
	stream := landing.Open(l.store, landing.Spec{Stream: "sales"}, landing.Options{Log: often})
	table := manifests.Open(l.store, "totals", manifests.Options{Log: often})
	for n := range entries {
		_, err := stream.Condemn(l.Context(), []string{id(1000 + n)}, l.store.now)
		l.ok(err)
		_, err = table.Publish(l.Context(), manifests.Proposal{Receipts: []manifests.Receipt{l.receipt(1, 2000+n)}})
		l.ok(err)
	}
}

// entries counts the entries of a log.
func (l lake) entries(prefix string) int {
	l.Helper()
	found, err := l.store.List(l.Context(), prefix+"/log/", "", 1<<20)
	l.ok(err)
	return len(found)
}

func TestASweepTrimsLogsOfWhatNoKeptVersionIsReadFrom(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.grow(60)
	before := l.snapshot()
	_, report := l.sweep(Options{Log: often}) // every version is kept
	if n := l.entries("landing/sales"); n != 12 {
		t.Errorf("the landing log has %d entries, want those from the last checkpoint but one on", n)
	}
	if n := l.entries("tables/totals"); n != 61 || report.Parts[0].Trimmed.Objects < 49 {
		t.Errorf("the table's log has %d entries: %+v", n, report)
	}
	first, err := l.table().SnapshotAt(t.Context(), 1)
	l.ok(err)
	if len(first.Receipts()) != 1 {
		t.Errorf("version 1 holds %+v", first.Receipts())
	}

	o := Options{Log: often, Retention: keep(manifests.Retention{Versions: 2}), DryRun: true}
	_, planned := l.sweep(o)
	o.DryRun = false
	_, done := l.sweep(o)
	if !reflect.DeepEqual(planned.Parts, done.Parts) || done.Parts[1].Trimmed.Objects < 49 {
		t.Errorf("planned %+v\ndone %+v", planned, done)
	}
	if n := l.entries("tables/totals"); n > 13 {
		t.Errorf("the table's log has %d entries", n)
	}
	after := l.snapshot()
	if !reflect.DeepEqual(before.Receipts(), after.Receipts()) {
		t.Errorf("the table holds %+v, want %+v", after.Receipts(), before.Receipts())
	}
	l.wantNamedThere()
}

// A log that can't be trimmed is trouble with that log alone.
func TestALogThatIsNotTrimmedStopsNoOther(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.grow(60)
	l.put("landing/sales/trims/00000000000000000001.json") // no record of a trim
	o := Options{Log: often, Retention: keep(manifests.Retention{Versions: 2}), Now: func() time.Time { return l.store.now }}
	report, err := Run(t.Context(), l.store, o)
	if err == nil || !strings.Contains(err.Error(), "sweep stream sales: ") || !strings.Contains(err.Error(), "trims/") {
		t.Errorf("got %v, want trouble with stream sales", err)
	}
	if report.Parts[0].Trouble == "" || report.Parts[1].Trouble != "" || l.entries("tables/totals") > 13 {
		t.Errorf("report %+v", report)
	}
}
