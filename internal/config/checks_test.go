package config_test

import (
	"reflect"
	"testing"

	"strandline/internal/config"
	"strandline/window"
)

func TestChecksMeanWhatTheySay(t *testing.T) {
	const file = `
lake: ./lake
streams:
  quakes: {format: ndjson, event_time: {column: time, unit: ms}, columns: {id: VARCHAR}}
jobs:
  plain: {from: quakes, window: {tumbling: 1h}, partition: day, key: [window_start], sql: SELECT 1, checks: }
  quakes_hourly:
    from: quakes
    window: {tumbling: 1h}
    partition: day
    key: [window_start]
    sql: SELECT 1
    checks:
      - not_null: [net, mag]
      - {unique: [id], on_failure: warn, name: "one ${EMPTY:-row} each"}
      - accepted: {column: net, values: [us, no, 010, 1.50, true, 2026-01-01, "", "${EMPTY}"]}
      - accepted: {column: net, values: ["$$1"], }
      - range: {column: mag, min: -0.10, max: 10}
      - range: {column: mag, max: "9.9999999999999999999999999999"}
      - {rows: {min: 1, max: 1000000}, on_failure: block}
      - rows: {max_drop: 50%, max_growth: 312.5%}
      - sql: SELECT '${NOT_SET} $$' FROM quakes_hourly
`
	const twice = `.checks[2].accepted.values[7]: "" is here twice`
	if _, err := config.Parse([]byte(file), "x.yaml", env); err == nil || err.Error() != `x.yaml:16:83: jobs.quakes_hourly`+twice {
		t.Fatalf("got %v, want that %s", err, twice)
	}
	c, err := config.Parse([]byte(file), "x.yaml", func(name string) (string, bool) { return "set", name == "EMPTY" })
	if err != nil {
		t.Fatal(err)
	}
	whole := func(n int64) *int64 { return &n }
	share := func(p window.Percent) *window.Percent { return &p }
	want := []window.Check{
		{OnFailure: window.Block, Rule: window.NotNull{Columns: []string{"net", "mag"}}},
		{OnFailure: window.Warn, Name: "one set each", Rule: window.Unique{Columns: []string{"id"}}},
		{OnFailure: window.Block, Rule: window.Accepted{Column: "net", Values: []string{"us", "no", "010", "1.50", "true", "2026-01-01", "", "set"}}},
		{OnFailure: window.Block, Rule: window.Accepted{Column: "net", Values: []string{"$1"}}},
		{OnFailure: window.Block, Rule: window.Range{Column: "mag", Min: "-0.10", Max: "10"}},
		{OnFailure: window.Block, Rule: window.Range{Column: "mag", Max: "9.9999999999999999999999999999"}},
		{OnFailure: window.Block, Rule: window.RowCount{Min: whole(1), Max: whole(1000000)}},
		{OnFailure: window.Block, Rule: window.RowCount{MaxDrop: share(5000), MaxGrowth: share(31250)}},
		{OnFailure: window.Block, Rule: window.NoRow{SQL: "SELECT '${NOT_SET} $$' FROM quakes_hourly"}},
	}
	for i, got := range c.Jobs[1].Checks {
		if i >= len(want) || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("check %d means %#v", i, got)
		}
	}
	if len(c.Jobs[1].Checks) != len(want) || c.Jobs[0].Checks != nil {
		t.Errorf("checks mean %+v and %+v", c.Jobs[0].Checks, c.Jobs[1].Checks)
	}
}
