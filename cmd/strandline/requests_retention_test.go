package main

import (
	"strings"
	"testing"

	"strandline/requests"
)

// The version of a table that a request reads is kept until it has ended, whatever is declared.
func TestWhatARequestReadsIsKeptUntilItHasEnded(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", "retention: {versions: 1}\n"+proveYAML+`  shops_daily:
    from: sales_hourly
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(cents)::BIGINT AS cents FROM sales_hourly GROUP BY ALL
`)
	id := strings.TrimSpace(p.good("backfill", "submit", "shops_daily", "--from", "2026-03-01", "--to", "2026-03-03"))
	p.write("c.ndjson", `{"at":"2026-03-02T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("backfill", "sales_hourly", "--stale")
	if out := p.good("sweep", "--grace", "0s"); !strings.Contains(out, "more kept for requests") {
		t.Errorf("the sweep says\n%s", out)
	}
	if out := p.good("sweep", "--grace", "0s", "--json"); !strings.Contains(out, `"kept_for_requests":`) {
		t.Errorf("to programs the sweep says\n%s", out)
	}
	p.good("worker", "--once")
	if f := p.stands(id); f.State != requests.Done {
		t.Errorf("list says %+v", f)
	}
	if out := p.good("sweep", "--grace", "0s"); strings.Contains(out, "kept for requests") || !strings.Contains(out, "expired") {
		t.Errorf("once it has ended, the sweep says\n%s", out)
	}
}
