package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/requests"
)

// A request whose input is damaged waits as one whose own table is, is told of by the object
// that is, and goes on once that is mended.
func TestARequestWhoseInputIsDamagedWaitsUntilThatIsMended(t *testing.T) {
	for name, object := range map[string]string{
		"the log of the stream":       "lake/landing/sales/log/00000000000000000001.json",
		"a segment":                   "lake/landing/sales/data/*.parquet",
		"the log of the table it has": "lake/tables/sales_hourly/log/00000000000000000001.json",
		"a file of that":              "lake/tables/sales_hourly/data/*/*.parquet",
	} {
		p := newProof(t)
		job := "sales_hourly"
		if strings.Contains(object, "tables/") {
			job = "daily"
			p.write("strandline.yaml", proveYAML+`  daily:
    from: sales_hourly
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(n)::BIGINT AS n FROM sales_hourly GROUP BY ALL
`)
		}
		out := p.good("backfill", "submit", job, "--from", "2026-03-01", "--to", "2026-03-03", "--recompute", "--slices", "2")
		id, _, _ := strings.Cut(out, "\n")
		found, err := filepath.Glob(p.path(object))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		body, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		p.cutTo(found[0], 20)
		r := p.bad(exitFailed, filepath.Base(found[0]), "worker", "--once")
		if strings.Contains(r.err, "this machine") || !strings.Contains(r.err, "waiting until this is mended") {
			t.Errorf("%s: the worker says\n%s", name, r.err)
		}
		if f := p.stands(id); f.State != requests.Waiting && f.State != requests.Running {
			t.Errorf("%s: the request is %+v", name, f)
		}
		p.harm(found[0], body)
		p.good("worker", "--once")
		if f := p.stands(id); f.State != requests.Done {
			t.Errorf("%s: once it is mended the request is %+v", name, f)
		}
	}
}
