package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"strandline/internal/miniotest"
)

// toxics are what a network does: it is slow, narrow, cut in the middle of a
// request or an answer, silent, or reset. Each is of half of the connections.
var toxics = []string{
	`{"name":"x","type":"latency","stream":"downstream","toxicity":0.5,"attributes":{"latency":60,"jitter":60}}`,
	`{"name":"x","type":"bandwidth","stream":"upstream","toxicity":0.5,"attributes":{"rate":20}}`,
	`{"name":"x","type":"slicer","stream":"downstream","toxicity":0.5,"attributes":{"average_size":50,"size_variation":20,"delay":200}}`,
	`{"name":"x","type":"limit_data","stream":"upstream","toxicity":0.5,"attributes":{"bytes":2500}}`,
	`{"name":"x","type":"limit_data","stream":"downstream","toxicity":0.5,"attributes":{"bytes":1500}}`,
	`{"name":"x","type":"reset_peer","stream":"upstream","toxicity":0.5,"attributes":{"timeout":15}}`,
	`{"name":"x","type":"reset_peer","stream":"downstream","toxicity":0.5,"attributes":{"timeout":15}}`,
	`{"name":"x","type":"timeout","stream":"downstream","toxicity":0.5,"attributes":{"timeout":100}}`,
}

// On a bad network commands may fail, and may be in when they say they don't
// know. Run again on a good one, all is there once.
func TestABadNetworkLosesNothingAndDoublesNothing(t *testing.T) {
	lines := quakeLines(t)
	server := miniotest.Start(t)
	for i, toxic := range toxics {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			network := newNetwork(t, server.Endpoint)
			yaml := fmt.Sprintf("lake: s3://%s/lake\ns3: {endpoint: \"http://%s\", region: %s}\n", server.Bucket(t), network.Listen, miniotest.Region)
			w := newWorld(t, yaml, uint64(i))
			files, rows := w.arrivals(lines[:200], 3)
			want := straight(t, lines[:200])
			steps := [][]string{}
			for _, file := range files {
				steps = append(steps, []string{"land", "quakes", file}, []string{"run", "--once"})
			}
			steps = append(steps, []string{"rollback", "quakes_hourly", "--to", "2"},
				[]string{"backfill", "quakes_hourly", "--from", "2018-01-01", "--to", "2018-03-01"})
			for _, step := range steps {
				if _, err := network.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
					t.Fatal(err)
				}
				w.mayFail(step...)
				if err := network.Toxics.RemoveToxic(t.Context(), "x"); err != nil {
					t.Fatal(err)
				}
				w.run(step...)
			}
			compare(t, w.published(), want)
			w.positionsAreDense(rows)
		})
	}
}

func newNetwork(t *testing.T, endpoint string) *toxiproxy.Proxy {
	t.Helper()
	nothing := zerolog.Nop()
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), nothing)
	network := toxiproxy.NewProxy(api, t.Name(), "127.0.0.1:0", strings.TrimPrefix(endpoint, "http://"))
	if err := network.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(network.Stop)
	return network
}

// mayFail runs the program for some seconds. It may fail for want of answers,
// but not because it refuses something or finds anything corrupt.
func (w *world) mayFail(args ...string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 15*time.Second)
	defer cancel()
	var notes strings.Builder
	cmd := w.command(args...)
	cmd.Stderr = &notes
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	err := cmd.Wait()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if err != nil && (!failed || exit.ExitCode() != 1 && !wasKilled(err)) || strings.Contains(notes.String(), "corrupt") {
		w.t.Errorf("on a bad network strandline %s ends with %v\n%s", strings.Join(args, " "), err, &notes)
	}
}

// The server acts, and only the answer is lost, once for each entry of a log:
// the program finds its own entry and goes on as if nothing had been.
func TestAnAnswerThatIsLostOnceIsNoFailure(t *testing.T) {
	lines := quakeLines(t)
	k := newKillWorld(t)
	k.use("lake")
	k.write("arrivals/all.ndjson", lines[:60])
	var lost int
	lose := func(_ int, r *http.Request) treatment {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/log/") {
			lost++
			return cutAfter
		}
		return forward
	}
	for _, step := range [][]string{
		{"land", "quakes", "arrivals/all.ndjson"},
		{"run", "--once"},
		{"rollback", "quakes_hourly", "--to", "1"},
		{"backfill", "quakes_hourly", "--from", "2018-01-01", "--to", "2018-03-01"},
	} {
		k.proxy.begin(lose, nil)
		k.run(step...)
	}
	k.proxy.begin(nil, nil)
	compare(t, k.published(), straight(t, lines[:60]))
	if s := k.status(); s.Head != 60 || s.Arrivals != 1 {
		t.Errorf("the stream is %+v, want 60 rows of one arrival", s)
	}
	if n := len(k.keys("lake/tables/quakes_hourly/log/")); n != 4 || lost != 5 {
		t.Errorf("the table has %d versions after %d lost answers, want 4 after 5", n, lost)
	}
}
