package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/manifests"
)

// losses are what happens to a file.
var losses = map[string]struct {
	damage func(path string) error
	says   string
}{
	"gone":    {os.Remove, "is gone"},
	"emptied": {func(path string) error { return os.Truncate(path, 0) }, "has 0 bytes, the receipt says "},
}

// spoil damages the only file of a receipt, and returns its key.
func (p proof) spoil(r manifests.Receipt, damage func(string) error) string {
	p.t.Helper()
	if len(r.Files) != 1 {
		p.t.Fatalf("%s has the files %v", r.Partition, r.Files)
	}
	key := manifests.DataKey("sales_hourly", r.Partition, r.Files[0].ID)
	if err := damage(filepath.Join(p.path("lake"), key)); err != nil {
		p.t.Fatal(err)
	}
	return key
}

const readDays = "SELECT day(window_start) AS day, sum(cents)::BIGINT AS cents FROM sales_hourly GROUP BY ALL ORDER BY ALL"

// unchanged fails unless the table is at a version and can be read as before.
func (p proof) unchanged(version manifests.Version, rows string) {
	p.t.Helper()
	if _, s := p.table(); s.Version != version {
		p.t.Errorf("the table is at version %d, want still %d", s.Version, version)
	}
	if got := p.good("query", readDays); got != rows {
		p.t.Errorf("it reads\n%s\nwant\n%s", got, rows)
	}
}

func TestAHeldResultWhoseFileIsLostIsNotReleased(t *testing.T) {
	for name, loss := range losses {
		t.Run(name, func(t *testing.T) {
			p := newProof(t)
			p.write("strandline.yaml", proveYAML+"    checks:\n      - range: {column: cents, max: 100}\n")
			p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":500}`)
			p.good("land", "sales", p.path("c.ndjson"))
			p.bad(exitSomeFailed, "held", "run", "--once")
			before := p.good("query", readDays)
			_, s := p.table()
			candidate, _ := s.Held("2026-03-01")
			key := p.spoil(candidate.Receipt, loss.damage)
			r := p.bad(exitFailed, key+" "+loss.says, "release", "sales_hourly", "2026-03-01")
			if !strings.Contains(r.err, "strandline drop sales_hourly 2026-03-01") {
				t.Errorf("it does not say what to do: %s", r.err)
			}
			p.unchanged(s.Version, before)
			// What it says to do leads on.
			p.good("drop", "sales_hourly", "2026-03-01")
			p.bad(exitSomeFailed, "held", "backfill", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-02")
			p.good("release", "sales_hourly", "2026-03-01")
			if out := p.good("query", readDays); out == before {
				t.Errorf("made again and released, it reads\n%s", out)
			}
		})
	}
}

func TestAVersionWhoseFileIsLostIsNotRolledBackTo(t *testing.T) {
	for name, loss := range losses {
		t.Run(name, func(t *testing.T) {
			p := newProof(t)
			_, old := p.table()
			p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":500}`)
			p.good("land", "sales", p.path("c.ndjson"))
			p.good("run", "--once")
			before := p.good("query", readDays)
			_, s := p.table()
			r, _ := old.Receipt("2026-03-01")
			key := p.spoil(r, loss.damage)
			to := fmt.Sprint(old.Version)
			refused := p.bad(exitFailed, key+" "+loss.says, "rollback", "sales_hourly", "--to", to)
			if !strings.Contains(refused.err, "strandline history sales_hourly") {
				t.Errorf("it does not say what to do: %s", refused.err)
			}
			p.unchanged(s.Version, before)
		})
	}
}

// What is published all the while is none the worse for it.
func TestARollbackLooksOnlyAtWhatItBringsBack(t *testing.T) {
	p := newProof(t)
	_, old := p.table()
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":500}`)
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("run", "--once")
	other, _ := old.Receipt("2026-03-02")
	p.spoil(other, os.Remove)
	p.good("rollback", "sales_hourly", "--to", fmt.Sprint(old.Version))
}
