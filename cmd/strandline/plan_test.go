package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestPlanTellsWhichRowsCameAndWhatOfTheCodeChanged(t *testing.T) {
	p := newProof(t)
	for name, rows := range map[string]string{
		"c": `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":1}` + "\n" + `{"at":"2026-03-01T12:00:00Z","shop":"x","cents":1}` + "\n",
		"d": `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":1}` + "\n",
	} {
		p.write(name+".ndjson", rows)
	}
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("land", "sales", p.path("d.ndjson"))
	p.rewrite("tumbling: 1h", "tumbling: 30m")
	p.rewrite("sum(cents)::BIGINT AS cents FROM", "sum(cents)::BIGINT AS cents, min(cents) AS least FROM")
	p.rewrite("columns: {shop: VARCHAR, cents: BIGINT}", "columns: {shop: VARCHAR, cents: BIGINT, unread: DOUBLE}")

	out := p.good("plan")
	// Names, times and bytes differ from run to run.
	out = strings.ReplaceAll(out, p.dir+"/", "")
	for _, digits := range [][2]string{
		{`code [0-9a-f]{8,}`, "code C"}, {`registered \S+ by .* pid \d+`, "registered T by W"},
		{`digest [0-9a-f]+`, "digest D"}, {`\d+ bytes`, "B bytes"}, {` +of B`, " of B"},
	} {
		out = regexp.MustCompile(digits[0]).ReplaceAllString(out, digits[1])
	}
	want := `sales_hourly at position 8 of stream sales: 3 partitions, 0 fresh, 1 stale, 1 missing, 1 of old code (strandline backfill sales_hourly --stale renews them)
  2 partitions of generation 1 (code C, registered T by W), since which the job has changed:
    sql:
      - SELECT window_start, coalesce(shop, '-') AS shop, count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY ALL
      + SELECT window_start, coalesce(shop, '-') AS shop, count(*) AS n, sum(cents)::BIGINT AS cents, min(cents) AS least FROM sales GROUP BY ALL
    window: 1h → 30m
  computing all of them reads 8 input rows, from 4 segments of B bytes, which are read whole
  2026-03-01     stale      5 input rows of B bytes      3 rows  digest D  data and code changed (2 rows of sales, at positions [5, 7), from c.ndjson; generation 1)
  2026-03-02     stale      2 input rows of B bytes      2 rows  digest D  code changed (generation 1)
  2026-03-03     missing     1 input row of B bytes
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	p.checkPlanJSON(strings.Split(strings.ReplaceAll(p.good("plan", "--json"), p.dir+"/", ""), "\n"))
}

func (p proof) checkPlanJSON(lines []string) {
	p.t.Helper()
	var plan planFact
	if err := json.Unmarshal([]byte(lines[0]), &plan); err != nil {
		p.t.Fatal(err)
	}
	if len(plan.Changed) != 1 || plan.Changed[0].Partitions != 2 || len(plan.Changed[0].Changes) != 2 || plan.Cost.Rows != 8 || plan.Cost.Segments != 4 || plan.Partitions["missing"] != 1 {
		p.t.Errorf("the plan is %s", lines[0])
	}
	bytes := int64(0)
	for i, want := range []string{
		`"why":{"news":[{"input":"sales","rows":2,"from":5,"to":7,"arrivals":["c.ndjson"]}],"cost":{"rows":5,"segments":3,"bytes":N},"changed":["sql","window"]}`,
		`"why":{"cost":{"rows":2,"segments":2,"bytes":N},"changed":["sql","window"]}`,
		`"why":{"cost":{"rows":1,"segments":1,"bytes":N},"changed":null}`,
	} {
		got := lines[1+i]
		if !strings.Contains(regexp.MustCompile(`"segments":(\d+),"bytes":\d+`).ReplaceAllString(got, `"segments":$1,"bytes":N`), want) {
			p.t.Errorf("partition %d is %s, want %s", i, got, want)
		}
		var fact partitionFact
		if err := json.Unmarshal([]byte(got), &fact); err != nil {
			p.t.Fatal(err)
		}
		bytes = max(bytes, fact.Why.Cost.Bytes)
	}
	if plan.Cost.Bytes <= bytes {
		p.t.Errorf("all partitions together have %d bytes, one of them %d", plan.Cost.Bytes, bytes)
	}
}

func TestWhatIsStaleMissingOrFailedIsRenewedAlone(t *testing.T) {
	p := newProof(t)
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.rewrite("count(*) AS n", "count(*) + 0 AS n")

	for flags, want := range map[string]string{
		"--stale":                    "would recompute 2 partitions",
		"--missing":                  "would recompute 1 partition ",
		"--missing --stale --failed": "would recompute 3 partitions",
		"--failed":                   "would recompute 0 partitions",
		"--stale --from 2026-03-02 --to 2026-03-09":             "would recompute 1 partition ",
		"--failed --from 2026-03-02 --to 2026-03-09":            "would recompute 0 partitions",
		"--partition 2026-03-03 --partition 2026-03-01":         "would recompute 2 partitions",
		"--partition 2026-03-03 --partition 2026-03-01 --stale": "would recompute 1 partition ",
		"--from 2026-03-02T05 --to 2026-03-03T01 --widen":       "would recompute 2 partitions",
	} {
		if out := p.good(append([]string{"backfill", "sales_hourly", "--dry-run"}, strings.Fields(flags)...)...); !strings.Contains(out, want) {
			t.Errorf("%s says\n%s", flags, out)
		}
	}
	if r := p.run("backfill", "sales_hourly", "--last", "36h", "--dry-run"); r.code != exitDone || !regexp.MustCompile(`^the range is \[\S+T00:00:00Z, \S+T00:00:00Z\)\n`).MatchString(r.err) {
		t.Errorf("--last says\n%s%s", r.out, r.err)
	}
	if out := p.good("backfill", "sales_hourly", "--stale", "--from", "2026-03-01", "--to", "2026-03-02"); !strings.Contains(out, "1 partition, 1 published") {
		t.Errorf("--stale says\n%s", out)
	}
	if out := p.good("status"); !strings.Contains(out, "  published are 1 partition of generation 1 (code ") || !strings.Contains(out, "), 1 partition of generation 2 (code ") {
		t.Errorf("status says\n%s", out)
	}
	if out := p.good("history", "sales_hourly"); !strings.Contains(out, "1 partition by generation 2: 2026-03-01 (3 rows)") {
		t.Errorf("history says\n%s", out)
	}
	if out := p.good("receipt", "sales_hourly", "2026-03-02"); !strings.Contains(out, "sql: SELECT window_start, coalesce(shop, '-') AS shop, count(*) AS n") {
		t.Errorf("the receipt of the old code is\n%s", out)
	}

	p.rewrite("count(*) + 0 AS n", "CAST(CASE WHEN sum(cents) > 8 THEN 'no' ELSE '1' END AS BIGINT) AS n")
	p.bad(exitSomeFailed, "2 partitions, 1 published, 0 unchanged, 0 superseded, 1 failed", "backfill", "sales_hourly", "--stale")
	p.bad(exitSomeFailed, "1 partition, 0 published, 0 unchanged, 0 superseded, 1 failed", "backfill", "sales_hourly", "--failed")
	p.good("backfill", "sales_hourly", "--stale") // what failed is not stale

	for flags, why := range map[string]string{
		"--stale --recompute":                         "choose",
		"--last 7d --from 2026-03-01 --to 2026-03-02": "three ways",
		"--last 7d --partition 2026-03-01":            "three ways",
		"--last 0s":                                   "want more than 0",
		"--partition March":                           "partition \"March\"",
		"--stale --widen":                             "--widen is for",
		"--from 2026-03-02T05 --to 2026-03-03":        "so begin and end at their edges, or take in whole what they cut (--widen)",
		"--stale --rebuild":                           "it goes with no range",
		"--from 2026 --to=":                           "leave out the one",
		"--recompute":                                 "give the range",
		"--rebuild --to 2026-03-01":                   "it goes with no range",
	} {
		p.bad(exitUsage, why, append([]string{"backfill", "sales_hourly"}, strings.Fields(flags)...)...)
	}
}
