package sweep

import (
	"errors"
	"strings"
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
	_, _, err := requests.Open(l.store, log.Options{CheckpointEvery: 5}).Submit(l.Context(), requests.Submission{Plan: plan, Job: "totals", Slices: 1, Parallel: 1}, nil, nil)
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

// reads puts a plan into the lake that reads a version of the table, and submits it.
func (l lake) reads(name string, version manifests.Version) plans.ID {
	l.Helper()
	id, err := plans.Write(l.Context(), l.store, plans.File{
		Format: 1, Job: name, Driver: manifests.DriverBackfill, Fingerprint: digest.OfBytes(nil),
		Read: manifests.Positions{"sales": 1, manifests.TableInput("totals"): int64(version)},
	})
	l.ok(err)
	l.submit(id)
	return id
}

// What a request reads that has not ended is kept, whatever is declared, and goes once it has.
func TestASweepKeepsTheVersionsThatRequestsRead(t *testing.T) {
	l := newLake(t)
	for file := range 6 {
		l.publish(1, file+1)
	}
	older, newer, gone := l.reads("older", 2), l.reads("newer", 4), l.reads("gone", 1)
	l.ok(l.store.Delete(t.Context(), gone.Key())) // so nobody can carry it out
	one := Options{Retention: keep(manifests.Retention{Versions: 1})}
	queue := requests.Open(l.store, log.Options{})
	for _, step := range []struct {
		cancel plans.ID
		oldest manifests.Version
		asked  manifests.Version
	}{{oldest: 2, asked: 4}, {older, 4, 2}, {newer, 6, 0}} {
		if !step.cancel.IsZero() {
			l.ok(queue.Cancel(t.Context(), step.cancel, "ann", requests.Outcome{}))
		}
		dry := one
		dry.DryRun = true
		_, would := l.sweep(dry)
		_, report := l.sweep(one)
		for what, r := range map[string]Report{"a dry run": would, "a sweep": report} {
			if p := r.Parts[len(r.Parts)-1]; p.Oldest != step.oldest || p.Asked != step.asked {
				t.Errorf("%s keeps %d on, %d of them for requests; want %d and %d", what, p.Oldest, p.Asked, step.oldest, step.asked)
			}
		}
		if _, err := l.table().SnapshotAt(t.Context(), step.oldest); err != nil {
			t.Error(err)
		}
		if _, err := l.table().SnapshotAt(t.Context(), step.oldest-1); !errors.Is(err, manifests.ErrExpired) {
			t.Errorf("version %d: %v, want that it has expired", step.oldest-1, err)
		}
	}
}

// Where it can't be told what requests read no version expires.
func TestNoVersionExpiresThatARequestMayRead(t *testing.T) {
	l := newLake(t)
	for file := range 3 {
		l.publish(1, file+1)
	}
	l.reads("one", 2)
	l.reads("another", 2)
	l.ok(l.store.Delete(t.Context(), "requests/log/00000000000000000001.json"))
	report, err := Run(t.Context(), l.store, Options{Retention: keep(manifests.Retention{Versions: 1}), Now: func() time.Time { return l.store.now }})
	if !errors.Is(err, log.ErrCorrupt) || !strings.Contains(report.Parts[len(report.Parts)-1].Trouble, "which versions requests read") {
		t.Errorf("got %v and %+v, want that the log of requests is damaged", err, report.Parts)
	}
	if oldest := l.snapshot().Oldest; oldest > 1 {
		t.Errorf("versions below %d have expired", oldest)
	}
}
