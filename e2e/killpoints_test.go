package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"strandline/internal/miniotest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

// killWorld is a world whose every request to the store can be its process's
// last.
type killWorld struct {
	*world
	proxy  *proxy
	server miniotest.Server
	bucket string
	store  *objstore.S3 // the bucket, not through the proxy
}

// Every request that land, publishing and a rollback make to the store is a
// point to be killed at: right before it reaches the server, and right after
// the server acted. The command is run again, and all is as if it had never
// been killed.
func TestKilledAtEveryRequestNothingIsLostOrDoubled(t *testing.T) {
	lines := quakeLines(t)
	k := newKillWorld(t)
	k.write("arrivals/first.ndjson", lines[:40])
	k.write("arrivals/second.ndjson", lines[30:70])
	template := []func(){
		func() { k.run("land", "quakes", "arrivals/first.ndjson") },
		func() { k.run("run", "--once") },
		func() { k.run("land", "quakes", "arrivals/second.ndjson") },
		func() { k.run("run", "--once") },
	}
	for name, c := range map[string]struct {
		after int // how much of the template comes before
		args  []string
		rows  map[string]string
	}{
		"land":     {2, []string{"land", "quakes", "arrivals/second.ndjson"}, straight(t, lines[:40])},
		"publish":  {3, []string{"run", "--once"}, straight(t, lines[:70])},
		"rollback": {4, []string{"rollback", "quakes_hourly", "--to", "2"}, straight(t, lines[:40])},
	} {
		k.use("template-" + name)
		for _, step := range template[:c.after] {
			step()
		}
		k.copyLake(name + "-whole")
		k.proxy.begin(nil, nil)
		k.run(c.args...)
		requests := k.proxy.requests()
		whole := k.facts()
		compare(t, k.published(), c.rows)
		t.Logf("%s makes %d requests", name, requests)
		for nth := 1; nth <= requests; nth++ {
			for _, how := range []treatment{cutBefore, cutAfter} {
				if testing.Short() && (nth+int(how))%5 != 0 {
					continue
				}
				k.use("template-" + name)
				k.copyLake(fmt.Sprintf("%s-%d-%d", name, nth, how))
				k.killedAt(nth, how, c.args...)
				k.run(c.args...)
				if facts := k.facts(); facts != whole {
					t.Errorf("%s, killed at request %d (treatment %d) and run again, leaves\n%s\nnot\n%s", name, nth, how, facts, whole)
				}
			}
		}
	}
}

func newKillWorld(t *testing.T) *killWorld {
	server := miniotest.Start(t)
	bucket := server.Bucket(t)
	store, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: bucket, Endpoint: server.Endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, server.Endpoint)
	yaml := fmt.Sprintf("lake: s3://%s/${LAKE}\ns3: {endpoint: %q, region: %s}\n", bucket, p.URL, miniotest.Region)
	return &killWorld{world: newWorld(t, yaml, 1), proxy: p, server: server, bucket: bucket, store: store}
}

// use has the program work on the lake under that prefix.
func (k *killWorld) use(lake string) { k.t.Setenv("LAKE", lake) }

func lakeInUse() string { return os.Getenv("LAKE") }

func (k *killWorld) write(file string, lines [][]byte) {
	k.t.Helper()
	if err := os.WriteFile(k.dir+"/"+file, append(bytes.Join(lines, []byte("\n")), '\n'), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

// copyLake copies the lake in use, and uses the copy.
func (k *killWorld) copyLake(to string) {
	k.t.Helper()
	from := lakeInUse() + "/"
	for _, key := range k.keys(from) {
		body, err := k.store.Read(k.t.Context(), key)
		if err == nil {
			err = k.store.Create(k.t.Context(), to+"/"+strings.TrimPrefix(key, from), body)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
	k.use(to)
}

func (k *killWorld) keys(prefix string) (keys []string) {
	k.t.Helper()
	objects, err := k.store.List(k.t.Context(), prefix, "", 1<<20)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}

// killedAt runs the program and kills it at its nth request.
func (k *killWorld) killedAt(nth int, how treatment, args ...string) {
	k.t.Helper()
	var notes strings.Builder
	var cmd *exec.Cmd
	started := make(chan struct{})
	kill := sync.OnceFunc(func() { <-started; _ = cmd.Process.Kill() })
	k.proxy.begin(func(n int, _ *http.Request) treatment {
		if n < nth {
			return forward
		}
		return how // what it asked for at the same time does not reach it either
	}, func(*http.Request) { kill() })
	cmd = k.command(args...)
	cmd.Stderr = &notes
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); !wasKilled(err) {
		k.t.Errorf("strandline %s was to be killed at request %d and ended with %v\n%s", strings.Join(args, " "), nth, err, &notes)
	}
	k.proxy.begin(nil, nil)
}

// openLake opens the lake in use, not through the proxy.
func (k *killWorld) openLake() *objstore.S3 {
	k.t.Helper()
	store, err := objstore.OpenS3(k.t.Context(), objstore.S3Options{
		Bucket: k.bucket, Prefix: lakeInUse(), Endpoint: k.server.Endpoint, PathStyle: true,
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return store
}

func quakes(store objstore.Store) *landing.Stream {
	return landing.Open(store, landing.Spec{Stream: "quakes", EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis}}, landing.Options{})
}

func quakesHourly(store objstore.Store) *manifests.Table {
	return manifests.Open(store, "quakes_hourly", manifests.Options{})
}

// facts are what is the same however often a process was killed: what landed
// where, and what the table holds in how many versions.
func (k *killWorld) facts() string {
	k.t.Helper()
	store := k.openLake()
	stream := quakes(store)
	if err := stream.Refresh(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	table, err := quakesHourly(store).Snapshot(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	var text strings.Builder
	err = stream.Arrivals(k.t.Context(), 0, stream.Next(), func(a landing.Arrival) error {
		_, err := fmt.Fprintf(&text, "%s at [%d, %d)\n", a.Name, a.From, a.To)
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	for _, r := range table.Receipts() {
		fmt.Fprintf(&text, "%s has %d rows, digest %s\n", r.Partition, r.Rows, r.RowDigest)
		for _, f := range r.Files {
			if _, err := store.ReadRange(k.t.Context(), manifests.DataKey("quakes_hourly", r.Partition, f.ID), 0, 1); err != nil {
				k.t.Error(err)
			}
		}
	}
	return fmt.Sprintf("%sversion %d", &text, table.Version)
}
