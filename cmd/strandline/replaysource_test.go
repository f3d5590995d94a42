package main

import (
	"os"
	"strings"
	"testing"

	"strandline/landing"
)

// What a log that is tailed, or a post, is called where it lands is what replay takes, and
// arrivals shows it.
func TestReplayOfALogThatIsTailedByItsName(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", "    dir: {path: ./logs, tail: true, settle: 0s}\n    columns:", 1))
	if err := os.Mkdir(p.path("logs"), 0o777); err != nil {
		t.Fatal(err)
	}
	p.write("logs/app.log", `{"at":"2026-03-01T12:00:00Z","shop":"x","cents":3}`+"\n")
	p.good("land", "sales")
	p.write("logs/other.log", `{"at":"2026-03-05T12:00:00Z","shop":"x","cents":3}`+"\n")
	p.good("land", "sales")
	p.write("logs/app.log", `{"at":"2026-03-01T12:00:00Z","shop":"x","cents":3}`+"\n"+`{"at":"2026-03-03T12:00:00Z","shop":"x","cents":3}`+"\n")
	p.good("land", "sales")
	p.replays("2026-03-01 2026-03-03", "sales_hourly", "--arrival", "app.log")
	p.replays("2026-03-05", "sales_hourly", "--arrival", "other.log")
	p.bad(exitUsage, `did you mean "app.log"?`, "replay", "sales_hourly", "--arrival", "ap.log")
	for _, args := range [][]string{{"arrivals", "sales"}, {"arrivals", "sales", "--name", "app.log"}, {"plan"}} {
		if out := p.good(args...); !strings.Contains(out, "app.log") || strings.Contains(out, "tail ") {
			t.Errorf("%q does not show the name of the log: %s", args, out)
		}
	}
	if out := p.good("arrivals", "sales", "--json", "--limit", "1"); !strings.Contains(out, `"sources":["app.log"]`) || !strings.Contains(out, `"way":"tail"`) {
		t.Errorf("the arrival is %s", out)
	}
	p.good("run", "--once")
	if out := p.good("receipt", "sales_hourly", "2026-03-03"); !strings.Contains(out, "app.log, positions") {
		t.Errorf("the receipt is %s", out)
	}
}

func TestReplayOfAPostByItsName(t *testing.T) {
	p := newProof(t)
	p.posted(map[string]string{
		"k1": `{"at":"2026-03-01T12:00:00Z","shop":"x","cents":3}`,
		"k2": `{"at":"2026-03-03T12:00:00Z","shop":"x","cents":3}`,
	})
	p.replays("2026-03-01", "sales_hourly", "--arrival", "http:open:k1")
	p.replays("2026-03-01 2026-03-03", "sales_hourly", "--arrival", "http")
	p.bad(exitUsage, "nothing landed as http:open:k", "replay", "sales_hourly", "--arrival", "http:open:k")
	if out := p.good("arrivals", "sales"); !strings.Contains(out, "http:open:k2  (http)") {
		t.Errorf("arrivals are %s", out)
	}
}

// Lakes of older programs name no sources, and a commit may have more than it names.
func TestWhatNamesNotAllSourcesMayHoldOthers(t *testing.T) {
	posts, topic, log := landing.Arrival{Name: "http"}, landing.Arrival{Name: "kafka:t"}, landing.Arrival{Name: "tail 76 1", Version: "tail 9 " + strings.Repeat("ab", 16)}
	for _, a := range []*landing.Arrival{&posts, &topic, &log} {
		a.Size = -1
	}
	full := posts
	full.Sources, full.MoreSources = []string{"http:open:a"}, 2
	said := full
	said.MoreSources = 0
	for _, one := range []struct {
		a      landing.Arrival
		source string
		want   bool
	}{
		{posts, "http:open:k", true}, {posts, "app.log", false}, {topic, "kafka:t/3", true}, {topic, "kafka:tea/3", false},
		{log, "app.log", true}, {full, "http:open:k", true}, {said, "http:open:k", false}, {landing.Arrival{Name: "a.csv"}, "b.csv", false},
	} {
		if got := mayHold(one.a, one.source); got != one.want {
			t.Errorf("%+v may hold %s: %v", one.a, one.source, got)
		}
	}
}
