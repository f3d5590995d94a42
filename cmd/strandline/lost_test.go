package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Positions are given once: where the log lost entries, nothing takes their place.
func TestNothingLandsWhereTheLandingLogLostEntries(t *testing.T) {
	p := newProof(t)
	left := p.lose(2)
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":5}`+"\n")
	if err := os.Mkdir(p.path("inbox"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("inbox/c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":5}`+"\n")
	watching := strings.Replace(proveYAML, "    columns:", "    dir: ./inbox\n    columns:", 1)
	posted := "serve: 127.0.0.1:0\n" + strings.Replace(proveYAML, "    columns:", "    http: {}\n    columns:", 1)
	for _, c := range []struct {
		yaml string
		args []string
	}{
		{proveYAML, []string{"land", "sales", p.path("c.ndjson")}},
		{proveYAML, []string{"land", "sales", p.path("b.ndjson")}}, // what was lost
		{proveYAML, []string{"run", "--once"}},
		{watching, []string{"run"}},
		{posted, []string{"run"}},
	} {
		p.write("strandline.yaml", c.yaml)
		p.bad(exitRefused, "positions up to 5 of stream sales, which ends at 3; restore the log's newest entries", c.args...)
		if now := p.objects(); !slices.Equal(now, left) {
			t.Errorf("%v left\n%q\nof\n%q", c.args, now, left)
		}
	}
	p.restore()
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("run", "--once")
	p.good("check-lake", "--deep")
}

// A damaged table is no reason to lose what arrives.
func TestADamagedTableStopsNoLanding(t *testing.T) {
	p := newProof(t)
	p.write("lake/tables/sales_hourly/log/00000000000000000001.json", "damage")
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
}
