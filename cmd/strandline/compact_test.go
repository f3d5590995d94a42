package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"
)

// crumbs lands some small files more, and publishes.
func (p proof) crumbs(n int) {
	p.t.Helper()
	for i := range n {
		name := fmt.Sprintf("crumb%d.ndjson", i)
		p.write(name, fmt.Sprintf(`{"at":"2026-03-0%dT10:00:00Z","shop":"x","cents":%d}`+"\n", 1+i%2, i))
		p.good("land", "sales", p.path(name))
		if i%3 == 0 {
			p.good("run", "--once")
		}
	}
}

func (p proof) facts(args ...string) (facts []mergeFact) {
	p.t.Helper()
	for line := range strings.Lines(p.good(append(args, "--json")...)) {
		var f mergeFact
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			p.t.Fatal(err)
		}
		facts = append(facts, f)
	}
	return facts
}

func TestCompactMergesAndEveryReceiptStands(t *testing.T) {
	p := newProof(t)
	p.crumbs(8)
	published := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL")
	stands := p.good("status", "sales_hourly")
	plan := p.facts("compact", "--dry-run")
	done := p.facts("compact")
	if len(plan) != 1 || len(done) != 1 || done[0].Segment == "" || done[0].BytesNow == 0 {
		t.Fatalf("planned %+v, done %+v; want one merge", plan, done)
	}
	done[0].Segment, done[0].BytesNow = "", 0
	if plan[0] != done[0] || plan[0].Segments != 10 || plan[0].To != 13 {
		t.Errorf("planned %+v, done %+v", plan[0], done[0])
	}
	if out := p.good("compact", "sales"); out != "sales: nothing to merge\n" {
		t.Errorf("again it says %q", out)
	}
	for line := range strings.Lines(p.good("receipt", "sales_hourly", "2026-03-02", "--sql")) {
		if strings.Contains(line, "FROM landed") && !strings.Contains(line, "position < 12") {
			t.Errorf("the receipt's SQL reads more than it did: %s", line)
		}
	}
	p.good("verify", "sales_hourly") // of positions within the segment
	p.good("reconcile", "sales_hourly")
	if now := p.good("status", "sales_hourly"); now != stands {
		t.Errorf("where partitions stand:\n%s\nwant\n%s", now, stands)
	}
	if now := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL"); now != published {
		t.Errorf("the table holds\n%s\nwant\n%s", now, published)
	}
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute")
}

func TestCompactSaysWhatItDoesNotMerge(t *testing.T) {
	if r := newProof(t).run("compact", "nix"); r.code != exitUsage || !strings.Contains(r.err, "nix") {
		t.Errorf("a stream that is none: exit %d, %s", r.code, r.err)
	}
	p := newProof(t)
	p.crumbs(8)
	segments, err := filepath.Glob(p.path("lake/landing/sales/data/*.parquet"))
	if err != nil || len(segments) != 10 {
		t.Fatal(segments, err)
	}
	damaged := p.newestSegment("2026-03-01")
	body, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)/2] ^= 1
	if err := os.WriteFile(damaged, body, 0o644); err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(damaged), ".parquet")
	if r := p.run("compact"); r.code != exitFailed || !strings.Contains(r.err, name) || !strings.Contains(r.out, "of positions [3, 11) to one") {
		t.Errorf("of a damaged segment: exit %d, %s%s", r.code, r.out, r.err)
	}
}

// newestSegment is the file of the newest segment that a partition was computed from.
func (p proof) newestSegment(partition string) string {
	p.t.Helper()
	var fact fullReceiptFact
	if err := json.Unmarshal([]byte(p.good("receipt", "sales_hourly", partition, "--json")), &fact); err != nil {
		p.t.Fatal(err)
	}
	return fact.Segments[len(fact.Segments)-1].URL
}

// A log that contradicts what is published is not compacted: nobody could tell
// afterwards.
func TestCompactRefusesALogThatContradictsATable(t *testing.T) {
	p := newProof(t)
	before := p.path("before")
	if err := os.CopyFS(before, os.DirFS(p.path("lake/landing"))); err != nil {
		t.Fatal(err)
	}
	p.crumbs(4)
	if err := os.RemoveAll(p.path("lake/landing")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(before, p.path("lake/landing")); err != nil {
		t.Fatal(err)
	}
	streams, _, _ := strings.Cut(proveYAML, "jobs:")
	p.write("strandline.yaml", streams) // which knows of no table that would tell
	for i := range 4 {                  // other rows where those were
		name := fmt.Sprintf("other%d.ndjson", i)
		p.write(name, fmt.Sprintf(`{"at":"2026-03-01T10:00:00Z","shop":"other","cents":%d}`+"\n", i))
		p.good("land", "sales", p.path(name))
	}
	p.write("strandline.yaml", proveYAML)
	for _, args := range [][]string{{"compact"}, {"compact", "--dry-run"}} {
		if r := p.run(args...); r.code != exitRefused || r.out != "" {
			t.Errorf("%v: exit %d, %s%s", args, r.code, r.out, r.err)
		}
	}
}

// What upkeep does is told as the commands tell it, and nothing where it had nothing to do.
func TestRunTellsItsUpkeep(t *testing.T) {
	p := newProof(t)
	p.crumbs(8)
	p.write("strandline.yaml", "maintenance: {grace: 0s}\n"+proveYAML)
	var out, notes bytes.Buffer
	a := &app{out: &out, err: &notes, configPath: p.path("strandline.yaml"), env: os.LookupEnv}
	l, err := a.writeLake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	tasks, err := l.allTasks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &streaming{app: a, lake: l}
	for range 2 {
		s.compact(t.Context(), tasks)
		s.sweep(t.Context(), tasks)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "sales: 10 segments of positions [0, 13) to one, ") ||
		!strings.HasPrefix(lines[1], "stream sales: 10 files of ") || notes.Len() > 0 {
		t.Errorf("upkeep says\n%s%s", &out, &notes)
	}
}

func TestUpkeepIsDoneEachPeriodUntilTheRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 61*time.Second)
		defer cancel()
		var group errgroup.Group
		s, done, never := &streaming{}, 0, 0
		s.every(ctx, &group, 10*time.Second, func() { done++ })
		s.every(ctx, &group, 0, func() { never++ })
		if err := group.Wait(); err != nil || done != 6 || never != 0 {
			t.Errorf("done %d times and what is off %d times, %v", done, never, err)
		}
	})
}
