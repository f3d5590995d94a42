package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"strandline/ingest"
	"strandline/ingest/post"
	"strandline/internal/digest"
	"strandline/internal/metrics"
	"strandline/landing"
)

// replayed runs a dry replay and returns the partitions that it would recompute.
func (p proof) replayed(args ...string) (partitions []string) {
	p.t.Helper()
	out := p.good(append([]string{"replay", "--dry-run", "--json", "--order", "oldest"}, args...)...)
	for line := range strings.Lines(out) {
		var fact struct {
			Partition string `json:"partition"`
		}
		if err := json.Unmarshal([]byte(line), &fact); err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		if fact.Partition != "" {
			partitions = append(partitions, fact.Partition)
		}
	}
	return partitions
}

func (p proof) replays(want string, args ...string) {
	p.t.Helper()
	if got := strings.Join(p.replayed(args...), " "); got != want {
		p.t.Errorf("replay %v is of %q, want %q", args, got, want)
	}
}

const twoDays, firstDay, secondDay = "2026-03-01 2026-03-02", "2026-03-01", "2026-03-02"

func TestReplayByPositionsAndByWhatLanded(t *testing.T) {
	p := newProof(t)
	p.write("c.ndjson", `{"at":"2026-03-02T11:00:00Z","shop":"x","cents":3}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("compact") // all three lie in one segment
	p.replays(twoDays, "sales_hourly", "--from-position", "0")
	p.replays(firstDay, "sales_hourly", "--from-position", "0", "--to-position", "2")
	p.replays(secondDay, "sales_hourly", "--from-position", "4")
	p.replays(twoDays, "sales_hourly", "--arrival", p.path("a.ndjson"))
	p.replays(secondDay, "sales_hourly", "--arrival", p.path("c.ndjson"))
	p.replays(twoDays, "sales_hourly", "--arrival", p.path("c.ndjson"), "--arrival", p.path("b.ndjson"))
	p.replays(twoDays, "sales_hourly", "--landed-from", "2020-01-01T00:00:00Z")
	p.replays(twoDays, "sales_hourly", "--landed-from", "2020-01-01", "--landed-to", "2199-01-01")

	content := digest.OfBytes([]byte(`{"at":"2026-03-02T11:00:00Z","shop":"x","cents":3}` + "\n")).String()
	p.replays(secondDay, "sales_hourly", "--arrival", content)
	p.replays(secondDay, "sales_hourly", "--arrival", strings.ToUpper(content[:8]))
	// A file that landed under another name is known by what is in it.
	p.write("other.ndjson", `{"at":"2026-03-02T11:00:00Z","shop":"x","cents":3}`+"\n")
	if r := p.run("replay", "sales_hourly", "--arrival", p.path("other.ndjson")); r.code != exitDone || !strings.Contains(r.err, "other.ndjson landed as "+p.path("c.ndjson")) {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	var names []string
	for line := range strings.Lines(p.good("arrivals", "sales", "--json")) {
		var fact arrivalFact
		if err := json.Unmarshal([]byte(line), &fact); err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%s [%d, %d) %s", strings.TrimPrefix(fact.Name, p.dir), fact.From, fact.To, fact.Way))
	}
	if want := []string{"/c.ndjson [5, 6) file", "/b.ndjson [3, 5) file", "/a.ndjson [0, 3) file"}; !slices.Equal(names, want) {
		t.Errorf("arrivals are %q, want %q", names, want)
	}
}

func TestReplaySaysWhatIsWrongWithTheRowsAskedFor(t *testing.T) {
	p := newProof(t)
	p.write("bad.ndjson", "{\n")
	p.good("land", "sales", p.path("bad.ndjson"))
	for want, args := range map[string][]string{
		"say of which rows":                              {},
		"choose one":                                     {"--from-position", "0", "--arrival", "a"},
		"want the first from 0 on, and the end":          {"--from-position", "3", "--to-position", "2"},
		"say where it begins":                            {"--to-position", "2"},
		"stream sales has positions [0, 5)":              {"--from-position", "1", "--to-position", "6"},
		"did you mean \"" + p.path("a.ndjson") + "\"":    {"--arrival", p.path("x.ndjson")},
		"did you mean \"" + p.path("b.ndjson") + "\"":    {"--arrival", "somewhere/else/of/no/such/length/b.ndjson"},
		"only rejects (strandline rejects sales)":        {"--arrival", p.path("bad.ndjson")},
		"want TOPIC/PARTITION:FROM-TO":                   {"--kafka", "orders"},
		"the offsets end where they begin":               {"--kafka", "orders/0:7-7"},
		"the stream has read no topic of Kafka":          {"--kafka", "orders/0:7-8"},
		"none was posted with the Idempotency-Key \"k\"": {"--key", "k"},
		"want a time such as":                            {"--landed-from", "yesterday"},
		"the time ends where it begins":                  {"--landed-from", "2026-03-01T00:00:00Z", "--landed-to", "2026-03-01T00:00:00Z"},
		"no row landed before 2020-01-01T00:00:00Z":      {"--landed-to", "2020-01-01T00:00:00Z"},
		"the job does not read that stream: it reads stream sales; name one of the streams sales": {"--arrival", "a", "--stream", "payments"},
	} {
		p.bad(exitUsage, want, append([]string{"replay", "sales_hourly"}, args...)...)
	}
}

// Rows are replayed through the tables that a job reads.
func TestReplayReachesThroughTables(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", proveYAML+`  sales_daily:
    from: sales_hourly
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: SELECT window_start, sum(n)::BIGINT AS n FROM sales_hourly GROUP BY ALL
`)
	p.write("c.ndjson", `{"at":"2026-03-02T11:00:00Z","shop":"x","cents":3}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("run", "--once")
	p.replays(secondDay, "sales_daily", "--arrival", p.path("c.ndjson"))
	p.replays(twoDays, "sales_daily", "--from-position", "2")
	p.bad(exitUsage, "stream sales has positions [0, 6)", "replay", "sales_daily", "--from-position", "6")
}

// A reject that landed again is a row of its file.
func TestReplayOfAFileIsAlsoOfItsRejectsThatLandedAgain(t *testing.T) {
	p := newProof(t)
	p.write("c.ndjson", `{"at":"2026-03-02T11:00:00Z","shop":"x","cents":3}`+"\n"+`{"at":"2026-03-01T11:00:00Z","shop":"x","cents":"1.5"}`+"\n")
	p.good("land", "sales", p.path("c.ndjson"))
	p.replays(secondDay, "sales_hourly", "--arrival", p.path("c.ndjson"))
	p.write("strandline.yaml", strings.Replace(proveYAML, "cents: BIGINT", `cents: "DECIMAL(38,1)"`, 1))
	p.good("rejects", "sales", "--retry")
	p.replays(twoDays, "sales_hourly", "--arrival", p.path("c.ndjson"))
}

func TestReplayOfOffsetsInKafka(t *testing.T) {
	k, p := newTopic(t), newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", fmt.Sprintf("    kafka: {brokers: [%q], topics: sales}\n    columns:", k.brokers), 1))
	for day := 1; day <= 4; day++ {
		k.sendAt(fmt.Sprintf("2026-04-%02dT10:00:00Z", day))
	}
	p.good("land", "sales")
	k.sendAt("2026-04-05T10:00:00Z")
	p.good("land", "sales")
	p.replays("2026-04-02 2026-04-03", "sales_hourly", "--kafka", "sales/0:1-3")
	p.replays("2026-04-05", "sales_hourly", "--kafka", "sales/0:4-5")
	p.replays("2026-04-01", "sales_hourly", "--kafka", "sales/0:0-1", "--landed-from", "2020-01-01T00:00:00Z")
	p.bad(exitUsage, "the stream has read the partition up to offset 5", "replay", "sales_hourly", "--kafka", "sales/0:4-6")
	p.bad(exitUsage, "sales/1:4-6: these offsets have not landed: the stream has read sales/0", "replay", "sales_hourly", "--kafka", "sales/1:4-6")
	if r := p.run("arrivals", "sales", "--limit", "1"); !strings.Contains(r.out, "[8, 9)") && !strings.Contains(r.out, "kafka:sales  (kafka)") || !strings.Contains(r.out, "older ones are not shown") {
		t.Errorf("arrivals are %s", r.out)
	}
}

// What was accepted as lost is told.
func TestReplayOfOffsetsThatWereLostSaysSo(t *testing.T) {
	k, p := newTopic(t), newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", fmt.Sprintf("    kafka: {brokers: [%q], topics: sales}\n    columns:", k.brokers), 1))
	k.send(3)
	p.good("land", "sales")
	k.send(4)
	k.remove(5)
	p.good("land", "sales", "--accept-gap")
	if r := p.run("replay", "sales_hourly", "--kafka", "sales/0:2-6"); r.code != exitDone || !strings.Contains(r.err, "offsets [3, 5) of these have never landed") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	p.bad(exitUsage, "none landed of the offsets sales/0:3-5", "replay", "sales_hourly", "--kafka", "sales/0:3-5")
}

// posted lands posts by their keys.
func (p proof) posted(bodies map[string]string) {
	p.t.Helper()
	a := &app{env: func(string) (string, bool) { return "", false }, configPath: p.path("strandline.yaml"), err: p.t.Output()}
	l, err := a.writeLake(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	posts(p.t, l.streams["sales"], bodies)
	if err := l.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func TestReplayOfAPostByItsKey(t *testing.T) {
	p := newProof(t)
	p.posted(map[string]string{
		"k.1": `{"at":"2026-03-01T12:00:00Z","shop":"x","cents":3}`,
		"k:1": `{"at":"2026-03-02T12:00:00Z","shop":"x","cents":3}`,
		"kx1": `{"at":"2026-03-03T12:00:00Z","shop":"x","cents":3}`,
	})
	p.replays(firstDay, "sales_hourly", "--key", "k.1")
	p.replays(secondDay, "sales_hourly", "--key", "k:1")
	p.bad(exitUsage, "none was posted", "replay", "sales_hourly", "--key", "1")
}

// posts posts bodies by their keys.
func posts(t *testing.T, stream *landing.Stream, bodies map[string]string) {
	t.Helper()
	server, err := post.New(post.Options{
		Streams: map[string]post.Stream{stream.Spec().Stream: {Landing: stream}}, Metrics: metrics.New(),
		Landed: func(string, ingest.Outcome) {}, Trouble: func(_ string, err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, listener) }()
	for key, body := range bodies {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+listener.Addr().String()+"/v1/streams/"+stream.Spec().Stream, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-ndjson")
		request.Header.Set("Idempotency-Key", `"`+key+`"`)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if _ = answer.Body.Close(); answer.StatusCode != http.StatusOK {
			t.Fatalf("the post %s is answered by %s", key, answer.Status)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
