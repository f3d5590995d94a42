package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// files lists the data files of the lake.
func (p proof) files() []string {
	p.t.Helper()
	var files []string
	for _, pattern := range []string{"lake/landing/sales/data/*.parquet", "lake/tables/sales_hourly/data/*/*.parquet"} {
		found, err := filepath.Glob(p.path(pattern))
		if err != nil {
			p.t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

func TestSweepRemovesWhatIsNotKeptAndChangesNoResult(t *testing.T) {
	p := newProof(t)
	p.crumbs(8)
	p.good("run", "--once")
	p.good("compact")
	published := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL")
	p.good("sweep")
	before := len(p.files())
	if out := p.good("sweep", "--grace", "0s", "--dry-run"); !strings.Contains(out, "stream sales: 10 files of ") || len(p.files()) != before {
		t.Errorf("a dry run says\n%s", out)
	}
	p.good("query", "--at", "2", "SELECT * FROM sales_hourly")
	p.good("sweep", "--grace", "0s") // every version is kept where nothing is said
	if n := before - len(p.files()); n != 10 {
		t.Errorf("%d files went, want the 10 segments that were merged", n)
	}
	p.good("query", "--at", "2", "SELECT * FROM sales_hourly")

	p.write("strandline.yaml", "retention: {versions: 1}\n"+proveYAML)
	p.good("sweep", "--grace", "0s")
	if files := p.files(); len(files) != 1+2 {
		t.Errorf("left are %q, want a segment and two published files", files)
	}
	p.bad(exitUsage, "has expired", "query", "--at", "2", "SELECT * FROM sales_hourly")
	p.bad(exitUsage, "has expired", "rollback", "sales_hourly", "--to", "2")
	p.bad(exitUsage, "has expired", "diff", "sales_hourly", "2", "3")
	if out := p.good("history", "sales_hourly"); strings.Contains("\n"+out, "\n   1 ") || !strings.Contains(out, "versions before ") || !strings.Contains(out, "files condemned") {
		t.Errorf("the history is\n%s", out)
	}
	if now := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL"); now != published {
		t.Errorf("the table holds\n%s\nwant\n%s", now, published)
	}
	p.good("verify", "sales_hourly")
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-03", "--recompute")
	if out := p.good("sweep", "--grace", "0s"); strings.Count(out, "no file removed") != 2 {
		t.Errorf("a second sweep says\n%s", out)
	}
}

func TestSweepSaysWhatIsForeign(t *testing.T) {
	p := newProof(t)
	p.write("lake/notes.txt", "mine")
	if out := p.good("sweep", "--grace", "0s"); !strings.Contains(out, "notes.txt: foreign, and not touched") {
		t.Errorf("a sweep says\n%s", out)
	}
	if out := p.good("sweep", "--json"); !strings.Contains(out, `{"key":"notes.txt","bytes":4,`) || !strings.Contains(out, `{"area":"tables","name":"sales_hourly",`) {
		t.Errorf("a sweep says\n%s", out)
	}
	p.bad(exitUsage, "--grace", "sweep", "--grace", "-1s")
}
