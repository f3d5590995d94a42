package main

import (
	"os"
	"strings"
	"testing"
)

// The engine reads the names of sources as text, so they have to be text.
func TestAFileOfAnyNameLandsAndIsPublished(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "sum(cents)::BIGINT", "strpos(max(source), 'caf')::BIGINT", 1))
	rows := `{"at":"2026-03-01T10:00:00Z","shop":"` + "%" + `"}` + "\n" + `{"at":` + "\n"
	for i, file := range []struct{ name, as string }{
		{"caf\xe9.ndjson", "caf\xe9.ndjson"}, {`caf\xE9.ndjson`, `caf\\xE9.ndjson`}, {"caf\x1b.ndjson", "caf\x1b.ndjson"},
	} {
		p.write(file.name, strings.Replace(rows, "%", strings.Repeat("x", i), 1))
		p.good("land", "sales", p.path(file.name))
		if out := p.good("rejects", "sales", "--source", p.path(file.as)); strings.Count(out, "\n") != 2 || strings.Contains(out, "\xe9") || strings.Contains(out, "\x1b") {
			t.Errorf("of %q the rejects are\n%q", file.name, out)
		}
	}
	p.good("run", "--once")
	if out := p.good("query", "--format", "csv", "SELECT count(*) AS n, min(cents) > 0 AS named FROM sales_hourly"); !strings.HasSuffix(out, "3,true\n") {
		t.Errorf("published was\n%s", out)
	}
	p.good("check-lake", "--deep")
}

// A name may hold what moves a terminal's cursor, or what looks like another report.
func TestWhatIsSaidOfANameIsSafeForATerminal(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "columns:", "dir: {path: ./in, settle: 1ms}\n    columns:", 1))
	if err := os.Mkdir(p.path("in"), 0o777); err != nil {
		t.Fatal(err)
	}
	name := "a\x1b[2K\nstrandline: all is well\u202e.gz"
	p.write("in/"+name, "\x1f\x8b\x08garbage of a gzip")
	p.write(name, "\x1f\x8b\x08garbage of a gzip")
	for _, args := range [][]string{{"land", "sales"}, {"land", "sales", p.path(name)}, {"land", "sales", p.path(name) + "\x1b"}} {
		r := p.run(args...)
		if r.code != exitFailed || strings.ContainsAny(r.err, "\x1b\u202e") || strings.Contains(r.err, "\nstrandline: all") {
			t.Errorf("%q ends with %d and says\n%q", args, r.code, r.err)
		}
	}
}
