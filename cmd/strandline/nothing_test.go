package main

import (
	"strings"
	"testing"
)

// Where there is nothing to list, that is said.
func TestNothingIsSaid(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", proveYAML)
	for command, says := range map[string]string{
		"late": "nothing came late\n", "history sales_hourly": "table sales_hourly has no version yet: nothing was published to it\n",
		"arrivals sales": "nothing has landed in stream sales\n", "arrivals sales --name zzz": "nothing has landed in stream sales\n",
		"rejects sales": "stream sales has no rejects\n", "rejects sales --by-reason": "stream sales has no rejects\n",
	} {
		if r := p.bad(exitDone, says, strings.Fields(command)...); strings.Contains(r.out, "nothing ") {
			t.Errorf("%s tells programs\n%s", command, r.out)
		}
	}
	p.bad(exitDone, "nothing was to be done: ", "backfill", "sales_hourly", "--from", "2026-03-01")
	p.write("a.ndjson", "nonsense\n"+`{"at":"2026-03-01T10:00:00Z","shop":"x","cents":5}`+"\n")
	p.good("land", "sales", p.path("a.ndjson"))
	p.bad(exitDone, `of the arrivals in stream sales none has "zzz" in its name`, "arrivals", "sales", "--name", "zzz")
	p.bad(exitDone, "of 1 reject in stream sales none is asked for", "rejects", "sales", "--source", "nope")
	p.good("run", "--once")
	for _, command := range []string{"rejects sales", "arrivals sales", "history sales_hourly"} {
		if r := p.bad(exitDone, "", strings.Fields(command)...); r.err != "" {
			t.Errorf("%s says\n%s", command, r.err)
		}
	}
	p.bad(exitUsage, "receipt of table sales_hourly: no such partition: 2026-04-01 is not published: there are 1, from 2026-03-01 to 2026-03-01", "receipt", "sales_hourly", "2026-04-01")
}
