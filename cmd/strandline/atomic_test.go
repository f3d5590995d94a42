package main

import (
	"strings"
	"testing"
)

// Of what is published together, that alone has failed which could not be published by itself,
// wherever it is counted.
func TestWhatIsWithheldIsNotCountedAsFailed(t *testing.T) {
	p := newProof(t)
	p.write("c.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"z","cents":1}
{"at":"2026-03-04T10:00:00Z","shop":"z","cents":1000}
{"at":"2026-03-05T10:00:00Z","shop":"z","cents":1}
`)
	p.good("land", "sales", p.path("c.ndjson"))
	p.rewrite("sum(cents)", "sum(cents * 10000000000000000)") // which 1000 is too many for
	asked := []string{"sales_hourly", "--from", "2026-03-03", "--to", "2026-03-06", "--atomic"}
	alone := append([]string{"backfill", "--parallel", "1"}, asked...)
	r := p.bad(exitSomeFailed, "some partitions are not published: of 3 partitions 1 failed, 2 withheld for that, the first is 2026-03-04", alone...)
	if !strings.Contains(r.err, "partitions: 2 of 3, 1 failed or held,") || !strings.Contains(r.out, "1 failed, 2 withheld") || strings.Count(r.out, "withheld   not computed  all is published together or nothing is, and 2026-03-04 can't be\n") != 1 {
		t.Errorf("it says\n%s%s", r.out, r.err)
	}
	p.rewrite("10000000000000000)", "10000000000000001)") // or it is known to fail, and comes last
	r = p.run(append(alone, "--json")...)
	if !strings.Contains(r.out, `"failed":1,"held":0,"withheld":2`) || strings.Count(r.out, `"state":"withheld"`) != 2 || strings.Count(r.out, `"receipt":null`) != 2 {
		t.Errorf("as JSON it says\n%s", r.out)
	}
	// Who wants all that fails says so.
	if r = p.bad(exitSomeFailed, "2 withheld for that", append(alone, "--max-failures", "9")...); !strings.Contains(r.err, "partitions: 3 of 3, 1 failed or held,") || strings.Contains(r.out, "not computed") {
		t.Errorf("it says\n%s%s", r.out, r.err)
	}
	id := strings.TrimSpace(p.good(append([]string{"backfill", "submit"}, asked...)...))
	p.bad(exitSomeFailed, "some partitions are not published: 1 partition, 2 withheld for others", "worker", "--once")
	p.bad(exitSomeFailed, "some partitions are not published: of 3 partitions 1 failed, 2 withheld for that", "work", id)
	if f := p.stands(id); *f.Progress != (progressFact{Failed: 1, Left: 2}) {
		t.Errorf("list says %+v", *f.Progress)
	}
}
