package sweep

import (
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
)

// plan puts a plan into the lake, one for each name.
func (l lake) plan(name string) plans.ID {
	l.Helper()
	id, err := plans.Write(l.Context(), l.store, plans.File{
		Format: 1, Job: name, Driver: manifests.DriverBackfill, Fingerprint: digest.OfBytes(nil), Read: manifests.Positions{"sales": 1},
	})
	l.ok(err)
	return id
}

func (l lake) submit(plan plans.ID) {
	l.Helper()
	_, err := requests.Open(l.store, log.Options{CheckpointEvery: 5}).Submit(l.Context(), requests.Submission{Plan: plan, Job: "totals", Slices: 1, Parallel: 1}, nil)
	l.ok(err)
}

// A plan stays for as long as its request is listed, and else for the grace.
func TestASweepRemovesPlansThatNoRequestIsOf(t *testing.T) {
	l := newLake(t)
	asked, forgotten := l.plan("asked"), l.plan("forgotten")
	l.submit(asked)
	l.wait(2 * time.Hour)
	young := l.plan("young")
	would, _ := l.sweep(Options{Grace: time.Hour, DryRun: true})
	gone, report := l.sweep(Options{Grace: time.Hour})
	if len(would) != 0 {
		t.Errorf("a dry run removed %v", would)
	}
	l.wantGone(gone, forgotten.Key())
	if p := report.Parts[0]; p.Area != AreaRequests || p.Named.Objects != 1 || p.Young.Objects != 1 || p.Swept.Objects != 1 {
		t.Errorf("report %+v", report)
	}
	for _, id := range []plans.ID{asked, young} {
		if _, err := plans.Read(t.Context(), l.store, id); err != nil {
			t.Error(err)
		}
	}
}

// The log of requests is trimmed, and its plans stay named.
func TestASweepTrimsTheLogOfRequests(t *testing.T) {
	l := newLake(t)
	for n := range 40 {
		l.submit(l.plan(string(rune('a' + n))))
	}
	_, report := l.sweep(Options{})
	if p := report.Parts[0]; p.Trimmed.Objects < 20 || p.Named.Objects != 40 || p.Swept.Objects != 0 {
		t.Errorf("report %+v", report)
	}
	all, err := requests.Open(l.store, log.Options{}).List(t.Context())
	if err != nil || len(all) != 40 {
		t.Errorf("%d requests are listed, %v; want 40", len(all), err)
	}
}
