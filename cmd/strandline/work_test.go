package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// written is a plan of both days of a proof, once more.
func (p proof) written() (id string) {
	p.t.Helper()
	out := p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute", "--write-plan", "--json")
	var said planFileFact
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Partitions != 2 || said.Slices != 1 {
		p.t.Fatalf("the plan is %s: %v", out, err)
	}
	return said.Plan
}

// Standard output is for strandline work "$(strandline backfill … --write-plan)".
func TestTheIdOfAPlanIsAloneOnStandardOutput(t *testing.T) {
	p := newProof(t)
	id := p.written()
	args := []string{"backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--write-plan"}
	if r := p.run(append(args, "--recompute")...); r.code != exitDone || r.out != id+"\n" || !strings.Contains(r.err, "plan "+id[:12]+": backfill of sales_hourly, 2 partitions, 1 slice unless") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if r := p.run(args...); r.code != exitDone || r.out != "" || r.err != "sales_hourly: nothing is to be computed\n" {
		t.Errorf("of nothing: exit %d\n%s%s", r.code, r.out, r.err)
	}
}

func TestShardsOfABackfillAreDisjointAndComplete(t *testing.T) {
	p := newProof(t)
	var seen []string
	for _, shard := range []string{"0/2", "1/2"} {
		out := p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute", "--shard", shard)
		for _, day := range []string{"2026-03-01", "2026-03-02"} {
			if strings.Contains(out, day) {
				seen = append(seen, day)
			}
		}
	}
	if got := strings.Join(seen, " "); got != "2026-03-02 2026-03-01" && got != "2026-03-01 2026-03-02" {
		t.Errorf("the shards did %s", got)
	}
}

func TestWithoutASliceAProcessWorksTheWholePlan(t *testing.T) {
	p := newProof(t)
	id := p.written()
	for _, slices := range []string{"1", "2", "9"} {
		if out := p.good("work", id[:8], "--slices", slices); !strings.Contains(out, "2 partitions, 0 published, 2 unchanged") {
			t.Errorf("in %s slices:\n%s", slices, out)
		}
	}
	if out := p.good("work", id, "--shard", "1/2"); !strings.Contains(out, "1 partition,") {
		t.Errorf("one of two slices:\n%s", out)
	}
}

// The exit code is what an engine goes by.
func TestWorkThatCantBeDoneSaysSoByItsCode(t *testing.T) {
	p := newProof(t)
	id := p.written()
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "no such plan", []string{"work", "01234567"}},
		{exitUsage, "8 or more", []string{"work", "abc"}},
		{exitUsage, "say of how many", []string{"work", id, "--slice", "1"}},
		{exitUsage, "at most 1", []string{"work", id, "--slice", "2", "--slices", "2"}},
		{exitUsage, "one or the other", []string{"work", id, "--slices", "2", "--shard", "0/2"}},
		{exitUsage, "want at least 1", []string{"work", id, "--parallel", "0"}},
		{exitUsage, "so no --shard of it can", []string{"backfill", "sales_hourly", "--rebuild", "--shard", "0/2"}},
		{exitUsage, "only writes the plan", []string{"backfill", "sales_hourly", "--last", "7d", "--write-plan", "--max-failures", "2"}},
		{exitUsage, "only writes the plan", []string{"backfill", "sales_hourly", "--last", "7d", "--write-plan", "--parallel", "2"}},
		{exitUsage, "run it here", []string{"backfill", "sales_hourly", "--rebuild", "--write-plan"}},
	} {
		if r := p.run(c.args...); r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit %d\n%s", c.args, r.code, r.err)
		}
	}
	p.write("strandline.yaml", strings.Replace(proveYAML, "count(*) AS n", "count(*) + 1 AS n", 1))
	if r := p.run("work", id); r.code != exitRefused || !strings.Contains(r.err, "plan anew") {
		t.Errorf("other code: exit %d\n%s", r.code, r.err)
	}
}

func TestWorkOnACancelledRequestIsRefused(t *testing.T) {
	p := newProof(t)
	out := p.good("backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute")
	id, _, _ := strings.Cut(out, "\n")
	p.good("backfill", "cancel", id)
	for _, args := range [][]string{{"work", id}, {"work", id, "--shard", "0/1"}} {
		if r := p.run(args...); r.code != exitRefused || !strings.Contains(r.err, "was cancelled") || r.out != "" {
			t.Errorf("%v: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}
