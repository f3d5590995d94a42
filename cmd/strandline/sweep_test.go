package main

import (
	"os"
	"path/filepath"
	"slices"
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
	if out := p.good("sweep", "--json"); strings.Count(out, "\n") != 1 || !strings.Contains(out, `{"key":"notes.txt","bytes":4,`) {
		t.Errorf("a sweep says\n%s", out)
	}
	p.bad(exitUsage, "--grace", "sweep", "--grace", "-1s")
}

// lose removes the entries of the landing log from one on, as a person or a disk
// might, and lists what the lake has then.
func (p proof) lose(from int) []string {
	p.t.Helper()
	entries, err := filepath.Glob(p.path("lake/landing/sales/log/*.json"))
	if err != nil || len(entries) < from {
		p.t.Fatal(entries, err)
	}
	for _, entry := range entries[from-1:] {
		if err := os.Rename(entry, p.path("lost-"+filepath.Base(entry))); err != nil {
			p.t.Fatal(err)
		}
	}
	return p.objects()
}

// restore puts back what lose removed.
func (p proof) restore() {
	p.t.Helper()
	lost, err := filepath.Glob(p.path("lost-*"))
	if err != nil || len(lost) == 0 {
		p.t.Fatal(lost, err)
	}
	for _, entry := range lost {
		name := strings.TrimPrefix(filepath.Base(entry), "lost-")
		if err := os.Rename(entry, p.path("lake/landing/sales/log/"+name)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// objects lists all files of the lake.
func (p proof) objects() (keys []string) {
	p.t.Helper()
	err := filepath.WalkDir(p.path("lake"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			keys = append(keys, path)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return keys
}

// Whatever a restore needs stays: the files that lost entries name, and the free
// slots of those entries.
func TestNothingIsSweptWhereTheLandingLogLostEntries(t *testing.T) {
	p := newProof(t)
	p.crumbs(4)
	for _, yaml := range []string{
		"retention: {versions: 1}\n" + proveYAML,
		strings.Replace(proveYAML, "    columns:", "    retain: {bytes: 1KB}\n    columns:", 1),
		strings.Replace(proveYAML, "  sales_hourly:", "  another:", 1), // declared no more
	} {
		p.write("strandline.yaml", yaml)
		left := p.lose(3)
		for _, args := range [][]string{{}, {"--dry-run"}, {"--json"}} {
			p.bad(exitRefused, "restore the log's newest entries", append([]string{"sweep", "--grace", "0s"}, args...)...)
			if now := p.objects(); !slices.Equal(now, left) {
				t.Errorf("sweep %v left\n%q\nof\n%q", args, now, left)
			}
		}
		p.restore()
	}
	p.write("strandline.yaml", proveYAML)
	p.good("check-lake", "--deep")
	p.good("sweep", "--grace", "0s")
}
