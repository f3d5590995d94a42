package main

import (
	"strings"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/requests"
)

const dailyYAML = `  shops_daily:
    from: sales_hourly
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(cents)::BIGINT AS cents FROM sales_hourly GROUP BY ALL
`

// newGone is a request that was cancelled when one of its two partitions was done, and whose upstream
// version has expired since.
func newGone(t *testing.T) (p proof, id string) {
	p = newProof(t)
	p.write("strandline.yaml", "retention: {versions: 1}\n"+proveYAML+dailyYAML)
	submit := []string{"backfill", "submit", "shops_daily", "--from", "2026-03-01", "--to", "2026-03-03", "--slices", "2"}
	id = strings.TrimSpace(p.good(submit...))
	p.good("work", id, "--slice", "0", "--slices", "2")
	p.good("backfill", "cancel", id)
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":5}`+"\n"+`{"at":"2026-03-02T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("backfill", "sales_hourly", "--stale")
	p.good("sweep", "--grace", "0s")
	return p, id
}

const goneText = "what is left of it can't be computed as it was planned"

// What reads a version that has expired is not resumed: nobody could ever do the rest of it.
func TestARequestWhoseVersionHasExpiredIsNotResumed(t *testing.T) {
	p, id := newGone(t)
	p.bad(exitRefused, goneText, "backfill", "resume", id)
	if f := p.stands(id); f.State != requests.Cancelled {
		t.Errorf("list says %+v", f)
	}
}

// One that was resumed just before the version expired ends as failed, and says what to do.
func TestARequestWhoseVersionExpiresEndsAsFailed(t *testing.T) {
	p, id := newGone(t)
	p.resumed(id)
	p.bad(exitSomeFailed, goneText, "worker", "--once")
	if f := p.stands(id); f.State != requests.Broken || *f.Progress != (progressFact{Done: 1, Left: 1}) || !strings.Contains(f.Reason, goneText) || !strings.Contains(f.Reason, "expired") {
		t.Errorf("list says %+v", f)
	}
	if out := p.good("backfill", "show", id); strings.Count(out, goneText) != 1 || !strings.Contains(out, "failed, now 1 of 2 partitions done, 1 left") {
		t.Errorf("show says\n%s", out)
	}
	p.bad(exitRefused, goneText, "work", id, "--slice", "1", "--slices", "2")
	p.good("work", id, "--slice", "0", "--slices", "2") // all of which is published
	if again := strings.TrimSpace(p.good("backfill", "submit", "shops_daily", "--from", "2026-03-01", "--to", "2026-03-03")); again == id {
		t.Error("submitted again it is the same plan")
	}
	p.good("worker", "--once")
}

// resumed enters that a request goes on, as whoever looked before the version expired.
func (p proof) resumed(id string) {
	p.t.Helper()
	q := requests.Open(p.store(), log.Options{})
	r, err := q.Find(p.t.Context(), id)
	if err == nil {
		err = q.Resume(p.t.Context(), r.Plan, []int{1}, nil, "ann@desk")
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// Of what was all tried nothing is left to be done.
func TestOfARequestThatFailedInPartNothingIsLeft(t *testing.T) {
	f := requestFact{State: requests.InPart, Ended: time.Unix(1, 0), Partitions: 4, Progress: &progressFact{Done: 2, Left: 2}}
	if got, want := f.far(), ", now 2 of 4 partitions done, 2 not published"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
