package main

import (
	"os"
	"strings"
	"testing"
)

// newLookups has, besides the job of a proof, one with a lookup and one that reads its
// table.
func newLookups(t *testing.T) proof {
	t.Helper()
	p := newProof(t)
	p.write("strandline.yaml", proveYAML+`  named:
    from: sales
    lookups: {shops: {file: ./shops.csv, columns: {shop: VARCHAR, name: VARCHAR}}}
    window: {tumbling: 1h}
    partition: day
    key: [window_start, name]
    sql: SELECT window_start, coalesce(name, '-') AS name, count(*) AS n FROM sales LEFT JOIN shops USING (shop) GROUP BY ALL
  daily:
    from: named
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(n)::BIGINT AS n FROM named GROUP BY ALL
`)
	p.write("shops.csv", "shop,name\nx,ex\n")
	return p
}

// contents are the names of what the lake keeps of lookups.
func (p proof) contents() int {
	p.t.Helper()
	entries, err := os.ReadDir(p.path("lake/lookups"))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return len(entries)
}

// A lookup that can't be read stops its job, and what reads that, and no other.
func TestALookupThatCanNotBeReadStopsItsJobsAlone(t *testing.T) {
	p := newLookups(t)
	p.write("shops.csv", "shop,title\nx,ex\n")
	p.write("c.ndjson", `{"at":"2026-03-03T11:00:00Z","shop":"x","cents":1}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	out := p.bad(exitRefused, `no column "name"`, "run", "--once")
	for _, want := range []string{"sales_hourly: 3 partitions, 3 fresh", "job named: a lookup can't be used", "job daily: "} {
		if !strings.Contains(out.out+out.err, want) {
			t.Errorf("no %q in\n%s%s", want, out.out, out.err)
		}
	}
	p.bad(exitRefused, "table sales_hourly: version", "status")
	p.bad(exitRefused, "job named: a lookup can't be used", "status")
	p.bad(exitRefused, "sales_hourly at position 6 of stream sales: 3 partitions, 3 fresh", "plan")
	if out := p.run("check-lake"); out.code != exitDone || !strings.Contains(out.err, "receipts of named are held against positions alone") {
		t.Errorf("check-lake: exit %d\n%s%s", out.code, out.out, out.err)
	}
	if n := p.contents(); n != 0 {
		t.Errorf("the lake keeps %d contents that can't be read", n)
	}
}

// Whoever goes on with what a lookup held is told so, once.
func TestALookupWhoseFileIsGoneIsToldOf(t *testing.T) {
	p := newLookups(t)
	if out := p.run("run", "--once"); out.code != exitDone || strings.Contains(out.err, "is gone") || p.contents() != 1 {
		t.Fatalf("run: exit %d\n%s%s", out.code, out.out, out.err)
	}
	if err := os.Remove(p.path("shops.csv")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(p.path("lake/lookups"))
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	for _, command := range [][]string{{"run", "--once"}, {"status"}} {
		out := p.run(command...)
		if want := "of lookup shops is gone: going on with what table named was last computed with, " + entries[0].Name()[:12]; out.code != exitDone || strings.Count(out.err, want) != 1 {
			t.Errorf("%v: exit %d, want %q once\n%s", command, out.code, want, out.err)
		}
	}
}

// What the lake keeps of a lookup and was damaged there is written anew by whoever has the file.
func TestADamagedLookupIsWrittenAnew(t *testing.T) {
	p := newLookups(t)
	p.good("run", "--once")
	entries, err := os.ReadDir(p.path("lake/lookups"))
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	p.cutTo(p.path("lake/lookups/"+entries[0].Name()), 5)
	p.bad(exitFailed, "damaged-lookup", "check-lake")
	p.good("run", "--once")
	p.good("check-lake")
}
