package main

import (
	"strings"
	"testing"
)

// Below a header that is another file's, values would change places.
func TestRawRejectsOfDifferentHeadersAreNotMixed(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "format: ndjson", "format: csv", 1))
	p.write("a.csv", "at,shop,cents\n2026-03-01T10:00:00Z,x,lots\n")
	p.write("b.csv", "at,cents,shop\n2026-03-01T10:00:00Z,many,2\n")
	p.write("c.csv", "at,shop,cents\n2026-03-01T11:00:00Z,x,some\n")
	p.good("land", "sales", p.path("a.csv"), p.path("b.csv"), p.path("c.csv"))
	got := p.run("rejects", "sales", "--raw")
	if got.code != exitFailed || got.out != "" || !strings.Contains(got.err, p.path("a.csv")+", "+p.path("c.csv")+"; "+p.path("b.csv")) {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	if raw := p.good("rejects", "sales", "--raw", "--source", p.path("b.csv")); raw != "at,cents,shop\n2026-03-01T10:00:00Z,many,2\n" {
		t.Errorf("of one file the bytes are\n%s", raw)
	}
}
