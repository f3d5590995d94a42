package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

func keep(r manifests.Retention) func(string) manifests.Retention {
	return func(string) manifests.Retention { return r }
}

func orphans() []string {
	return []string{
		published("2026-03-01", 100), published("2026-03-09", 101),
		"landing/sales/data/" + id(102) + ".parquet", "landing/sales/rejects/" + id(103) + ".parquet",
	}
}

func TestASweepRemovesWhatNothingNamesAndNothingElse(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.publish(1, 2)
	l.hold(2, 3)
	l.put(orphans()...)
	l.put("tables/totals/reconcile/20260301T000000.000000Z-" + id(1) + ".json")
	gone, report := l.sweep(Options{})
	l.wantGone(gone, orphans()...)
	for _, p := range report.Parts {
		if p.Swept != (Tally{2, 20}) || p.Young != (Tally{}) {
			t.Errorf("%s %s: %+v", p.Area, p.Name, p)
		}
	}
	if len(report.Parts) != 2 || report.Parts[0].Named.Objects != 2 || report.Parts[1].Named.Objects != 3 {
		t.Errorf("report %+v", report)
	}
	version := l.snapshot().Version
	if gone, _ = l.sweep(Options{}); gone != nil || l.snapshot().Version != version {
		t.Errorf("a second sweep removed %v, and the table is at version %d after %d", gone, l.snapshot().Version, version)
	}
}

func TestASweepLeavesWhatIsYoungerThanTheGrace(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.put(orphans()[:3]...)
	l.wait(time.Hour)
	l.put(orphans()[3])
	l.wait(time.Hour)
	gone, report := l.sweep(Options{Grace: 90 * time.Minute})
	l.wantGone(gone, orphans()[:3]...)
	if report.Parts[0].Young.Objects != 1 {
		t.Errorf("report %+v", report)
	}
}

func TestWhatIsForeignIsReportedAndNotTouched(t *testing.T) {
	foreign := []string{
		"README.txt", "landing/notes.txt", "landing/sales/data/mine.parquet", "landing/sales/data/" + id(1) + ".csv",
		"landing/other/data/" + id(1) + ".parquet", "tables/other/data/2026-03-01/" + id(1) + ".parquet",
		"tables/totals/data/" + id(1) + ".parquet",
		"tables/totals/export/all.csv", "selftest/mine",
	}
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.put(foreign...)
	l.wait(1000 * time.Hour)
	var told []string
	gone, report := l.sweep(Options{Tell: func(f Found) {
		if f.Verdict == Foreign {
			told = append(told, f.Key)
		}
	}})
	l.wantGone(gone)
	slices.Sort(foreign)
	if !slices.Equal(told, foreign) || report.Foreign.Objects != int64(len(foreign)) {
		t.Errorf("told of %d foreign objects %v\nwant %v", report.Foreign.Objects, told, foreign)
	}
}

func TestADryRunTellsWhatTheSweepDoes(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.publish(1, 2)
	l.put(orphans()...)
	o := Options{Retention: keep(manifests.Retention{Versions: 1}), DryRun: true}
	var told []string
	o.Tell = func(f Found) { told = append(told, f.Key) }
	version := l.snapshot().Version
	gone, planned := l.sweep(o)
	if gone != nil || l.snapshot().Version != version {
		t.Fatalf("a dry run removed %v", gone)
	}
	o.DryRun, o.Tell = false, nil
	gone, done := l.sweep(o)
	l.wantGone(gone, told...)
	if len(planned.Parts) != 2 || !slices.Equal(planned.Parts, done.Parts) {
		t.Errorf("planned %+v\ndone %+v", planned, done)
	}
}

func TestVersionsThatAreNotKeptExpireWithTheirFiles(t *testing.T) {
	l := newLake(t)
	l.publish(1, 1)
	second := l.publish(1, 2)
	l.hold(2, 3)
	l.publish(1, 4)
	gone, report := l.sweep(Options{Retention: keep(manifests.Retention{Versions: 2})})
	l.wantGone(gone, published("2026-03-01", 1))
	if p := report.Parts[0]; p.Oldest != second || p.Expired != 1 {
		t.Errorf("report %+v", p)
	}
	if _, err := l.table().SnapshotAt(t.Context(), second-1); !errors.Is(err, manifests.ErrExpired) {
		t.Errorf("an expired version: %v", err)
	}
	if s, err := l.table().SnapshotAt(t.Context(), second); err != nil || s.Oldest != 0 {
		t.Errorf("the oldest version that is kept: %v", err)
	}
}

// What was replaced within the grace is still read by somebody, and is kept.
func TestTheGraceAlsoKeepsVersions(t *testing.T) {
	l := newLake(t)
	l.publish(1, 1)
	l.wait(time.Hour)
	l.publish(1, 2)
	l.wait(time.Hour)
	l.publish(1, 3)
	l.wait(30 * time.Minute)
	gone, _ := l.sweep(Options{Grace: time.Hour, Retention: keep(manifests.Retention{Versions: 1})})
	l.wantGone(gone, published("2026-03-01", 1))
}

// Versions without a file of their own expire in steps: the edit that says so is a
// version, too.
func TestVersionsExpireAloneInSteps(t *testing.T) {
	l := newLake(t)
	l.publish(1, 1)
	r := empty(2)
	empties := func(times int) {
		for range times {
			r.InputDigest = digest.OfBytes([]byte(fmt.Sprint(l.snapshot().Version)))
			_, err := l.table().Publish(t.Context(), manifests.Proposal{Receipts: []manifests.Receipt{r}})
			l.ok(err)
		}
	}
	o := Options{Retention: keep(manifests.Retention{Versions: 1})}
	empties(Alone - 1)
	if _, report := l.sweep(o); report.Parts[0].Expired != 0 || l.snapshot().Oldest != 0 {
		t.Errorf("after %d versions: %+v", Alone, report)
	}
	empties(1)
	if _, report := l.sweep(o); report.Parts[0].Expired != Alone || l.snapshot().Oldest != Alone+1 {
		t.Errorf("after %d versions: %+v", Alone+1, report)
	}
	if _, report := l.sweep(o); report.Parts[0].Expired != 0 || l.snapshot().Version != Alone+2 {
		t.Errorf("after one more: %+v", report)
	}
}

func TestTroubleWithOneTableStopsNoOther(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.put(orphans()...)
	l.put("tables/broken/log/00000000000000000001.json", "tables/broken/data/2026-03-01/"+id(1)+".parquet")
	before := l.keys()
	report, err := Run(t.Context(), l.store, Options{})
	if err == nil || !strings.Contains(err.Error(), "sweep table broken") {
		t.Fatalf("got %v, want what is wrong with table broken", err)
	}
	if n := len(before) - len(l.keys()); n != 4 || report.Parts[1].Trouble == "" || report.Foreign.Objects != 0 {
		t.Errorf("%d files went, want the 4 of the others; report %+v", n, report)
	}
}

// Whenever a sweep dies, nothing that is named is gone, and the next one does the
// rest.
func TestASweepThatDiesAtAnyCallIsGoneOnWith(t *testing.T) {
	for n := int64(1); ; n++ {
		l := newLake(t)
		l.land("a")
		l.publish(1, 1)
		l.publish(1, 2)
		l.put(orphans()...)
		o := Options{Retention: keep(manifests.Retention{Versions: 1}), Log: log.Options{Pause: impatient}}
		var calls atomic.Int64
		before, oldest := l.keys(), l.snapshot().Oldest
		report, err := Run(t.Context(), objstore.NewFault(l.store, diesAt(n, &calls)), o)
		l.claims(report, before, oldest)
		if n > calls.Load() {
			t.Logf("died at each of %d calls", n-1)
			return
		}
		if err == nil {
			t.Errorf("dying at call %d is no error", n)
		}
		l.wantNamedThere()
		_, err = Run(t.Context(), l.store, o)
		l.ok(err)
		l.wantNamedThere()
		for _, key := range l.keys() {
			if slices.Contains(orphans(), key) || key == published("2026-03-01", 1) {
				t.Errorf("after dying at call %d and a second sweep %s is still there", n, key)
			}
		}
	}
}

// claims checks that a report tells of no more than was done.
func (l lake) claims(report Report, before []string, oldest manifests.Version) {
	l.Helper()
	var told int64
	var expired manifests.Version
	for _, p := range report.Parts {
		told, expired = told+p.Swept.Objects, expired+p.Expired
	}
	after := l.keys()
	gone := int64(len(slices.DeleteFunc(before, func(key string) bool { return slices.Contains(after, key) })))
	if told > gone {
		l.Errorf("%d files are told as removed, %d were", told, gone)
	}
	if now := l.snapshot().Oldest; expired > 0 && now == oldest {
		l.Errorf("%d versions are told as expired, and the oldest is still %d", expired, now)
	}
}

// diesAt lets the n-th call be done, and its caller hear nothing of it nor of any
// after it.
func diesAt(n int64, calls *atomic.Int64) func(objstore.Op, string) objstore.Action {
	return func(objstore.Op, string) objstore.Action {
		switch call := calls.Add(1); {
		case call == n:
			return objstore.LoseAnswer
		case call > n:
			return objstore.Fail
		}
		return objstore.Pass
	}
}

// impatient gives up at the first call that gets no answer.
func impatient(context.Context, time.Duration) error { return errors.New("no patience") }

// wantNamedThere looks that each published file is there.
func (l lake) wantNamedThere() {
	l.Helper()
	for _, r := range l.snapshot().Receipts() {
		for _, f := range r.Files {
			if _, err := l.store.Read(l.Context(), manifests.DataKey("totals", r.Partition, f.ID)); err != nil {
				l.Errorf("a published file: %v", err)
			}
		}
	}
}

func TestWhatIsLeftOfAProofIsRemoved(t *testing.T) {
	l := newLake(t)
	old := "selftest/race-" + strings.Repeat("A", 26)
	l.put(old)
	l.wait(2 * time.Hour)
	l.put("selftest/list-" + strings.Repeat("B", 26) + "-2-0")
	gone, report := l.sweep(Options{})
	l.wantGone(gone, old)
	if report.Proofs.Objects != 1 || report.Foreign.Objects != 0 {
		t.Errorf("report %+v", report)
	}
}

// hooked is a store that calls back right before it does something.
type hooked struct {
	objstore.Store
	deleting func(key string)
	creating func(key string)
}

func (h *hooked) Create(ctx context.Context, key string, body []byte) error {
	if h.creating != nil {
		h.creating(key)
	}
	return h.Store.Create(ctx, key, body)
}

func (h *hooked) Delete(ctx context.Context, key string) error {
	if h.deleting != nil {
		h.deleting(key)
	}
	return h.Store.Delete(ctx, key)
}

func TestAFileIsCondemnedBeforeItGoes(t *testing.T) {
	l := newLake(t)
	l.land("a")
	l.publish(1, 1)
	l.put(orphans()...)
	var unsaid atomic.Int64
	_, err := Run(t.Context(), &hooked{Store: l.store, deleting: func(key string) {
		if parsed, _ := ParseKey(key); parsed.Kind == Data && !l.condemned(parsed) {
			unsaid.Add(1)
		}
	}}, Options{})
	l.ok(err)
	if unsaid.Load() > 0 {
		t.Errorf("%d files went that no log condemned", unsaid.Load())
	}
}

// condemned tells whether the log of its stream or table condemns a file.
func (l lake) condemned(key Key) bool {
	if key.Area == AreaTables {
		reach, err := l.table().Reach(l.Context(), 0)
		return err == nil && reach.Condemned(key.ID)
	}
	files, err := landing.Open(l.store, landing.Spec{Stream: key.Owner}, landing.Options{}).Files(l.Context())
	return err == nil && files.Condemned(key.ID)
}

// A writer may name what the sweep has just found to be named by nobody.
func TestWhatIsNamedWhileASweepLooksStays(t *testing.T) {
	l := newLake(t)
	l.publish(1, 1)
	slow := l.receipt(2, 2)
	l.put(orphans()[:2]...)
	publish := sync.OnceFunc(func() {
		_, err := l.table().Publish(t.Context(), manifests.Proposal{Receipts: []manifests.Receipt{slow}})
		l.ok(err)
	})
	_, err := Run(t.Context(), &hooked{Store: l.store, creating: func(key string) {
		if strings.HasPrefix(key, "tables/totals/log/") {
			publish()
		}
	}}, Options{})
	l.ok(err)
	if _, there := l.snapshot().Receipt(slow.Partition); !there {
		t.Error("it was not published")
	}
	l.wantNamedThere()
	for _, key := range l.keys() {
		if slices.Contains(orphans(), key) {
			t.Errorf("%s is still there", key)
		}
	}
}

// "The last 3 states" are those that readers saw: what sweeps and failures add to the
// log is none. A table at rest loses no more of them, and a sweep of it adds nothing.
func TestSweepsWearNoVersionDown(t *testing.T) {
	l := newLake(t)
	for n := 1; n <= 6; n++ {
		l.publish(n, n)
		l.publish(n, 10+n) // so that expiring takes a file with it
	}
	l.hold(20, 30)
	_, err := l.table().Publish(l.Context(), manifests.Proposal{Failures: []manifests.Failure{{Partition: "2026-03-21", Reason: "x"}}})
	l.ok(err)
	entries := 0
	for n := range 6 {
		l.wait(1000 * time.Hour)
		l.sweep(Options{Retention: keep(manifests.Retention{Versions: 3})})
		if oldest := l.snapshot().Oldest; oldest != 10 {
			t.Errorf("after sweep %d, the oldest version kept is %d, want 10, the third state from the newest", n+1, oldest)
		}
		if now := l.entries("tables/totals"); n == 0 {
			entries = now
		} else if now != entries {
			t.Errorf("sweep %d at rest made %d entries of %d", n+1, now, entries)
		}
	}
	l.wantNamedThere()
}
