package main

import (
	"strings"
	"testing"
)

// What was computed from another stream stays until a person asks for it anew.
func TestARenamedStreamEmptiesNoTable(t *testing.T) {
	p := newProof(t)
	published := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL")
	renamed := strings.NewReplacer("\n  sales:", "\n  deals:", "from: sales", "from: deals", "FROM sales", "FROM deals").Replace(proveYAML)
	p.write("strandline.yaml", renamed)

	p.good("run", "--once")
	p.write("new.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"new","cents":1}`+"\n"+`{"at":"2026-03-09T10:00:00Z","shop":"new","cents":1}`+"\n")
	p.good("land", "deals", p.path("new.ndjson"))
	if out := p.good("run", "--once"); !strings.Contains(out, "2026-03-09") || !strings.Contains(out, "of old code") {
		t.Errorf("the stream says\n%s", out)
	}
	if now := p.good("query", "SELECT * FROM sales_hourly WHERE shop <> 'new' ORDER BY ALL"); now != published {
		t.Errorf("the table holds\n%s\nwant\n%s", now, published)
	}
	p.good("backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02")
	if now := p.good("query", "SELECT shop FROM sales_hourly WHERE window_start::DATE = '2026-03-01'"); strings.Contains(now, "x") || !strings.Contains(now, "new") {
		t.Errorf("after a backfill of the day the table holds\n%s", now)
	}
}
