package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/miniotest"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/requests"
)

// A backfill is submitted, and three processes work on it. One is killed (SIGKILL) in the
// middle, one stands still (SIGSTOP) past every lease and wakes when all is done, and over
// MinIO the server is killed and started again meanwhile. Every partition is published, and
// published once; the one that woke knows that it had lost what it held.
func TestABackfillOutlivesItsWorkers(t *testing.T) {
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		b := newBackfilled(t, "lake: ./lake\n", nil)
		b.outlives(func() {})
	})
	t.Run("minio, killed in the middle", func(t *testing.T) {
		server := miniotest.StartOwn(t)
		bucket := server.Bucket(t)
		t.Parallel()
		b := newBackfilled(t, fmt.Sprintf("lake: s3://%s/lake\ns3: {endpoint: %q, region: %s}\n", bucket, server.Endpoint, miniotest.Region),
			func() (objstore.Store, error) {
				return objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: bucket, Prefix: "lake", Endpoint: server.Endpoint, PathStyle: true})
			})
		b.outlives(func() { server.Restart(t, func() {}) })
	})
}

const hourlyYAML = `
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: s}
    columns: {shop: VARCHAR, cents: BIGINT}
jobs:
  sales_hourly:
    from: sales
    window: {tumbling: 1h}
    partition: hour
    key: [window_start, shop]
    sql: |
      SELECT window_start, shop, count(*) AS sales, sum(cents)::BIGINT AS cents FROM sales GROUP BY window_start, shop
`

// hours is how many hourly partitions are backfilled: 120, or STRANDLINE_HOURS.
func hours(t *testing.T) int {
	t.Helper()
	text := os.Getenv("STRANDLINE_HOURS")
	if text == "" {
		return 120
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 50 {
		t.Fatalf("STRANDLINE_HOURS=%s: want a number from 50", text)
	}
	return n
}

// patient is how long the test waits for anything, which on a good day takes seconds.
const patient = 20 * time.Minute

// backfilled is a world of hourly partitions with two sales each.
type backfilled struct {
	*world
	hours int
	want  map[string]string // the sum of each row
	store objstore.Store
	queue *requests.Queue
	begun time.Time
}

func newBackfilled(t *testing.T, lakeYAML string, open func() (objstore.Store, error)) *backfilled {
	b := &backfilled{world: newWorld(t, lakeYAML, 1), hours: hours(t), want: map[string]string{}}
	if open == nil {
		open = func() (objstore.Store, error) { return objstore.OpenFolder(filepath.Join(b.dir, "lake")) }
	}
	if err := os.WriteFile(filepath.Join(b.dir, "strandline.yaml"), []byte(lakeYAML+hourlyYAML), 0o644); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	first := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for hour := range b.hours {
		at := first.Add(time.Duration(hour) * time.Hour)
		for sale := range 2 {
			fmt.Fprintf(&lines, "{\"at\": %d, \"shop\": \"s%d\", \"cents\": %d}\n", at.Unix()+int64(sale), sale, hour*7+sale)
			b.want[fmt.Sprintf("%s s%d", at.Format("2006-01-02T15"), sale)] = fmt.Sprintf("1 %d", hour*7+sale)
		}
	}
	if err := os.WriteFile(filepath.Join(b.dir, "sales.ndjson"), lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	b.run("land", "sales", "sales.ndjson")
	var err error
	if b.store, err = open(); err != nil {
		t.Fatal(err)
	}
	b.queue = requests.Open(b.store, log.Options{})
	return b
}

// outlives is the test; trouble is what befalls the store in the middle.
func (b *backfilled) outlives(trouble func()) {
	n := max(12, b.hours/40)
	out := b.run("backfill", "submit", "sales_hourly", "--from", "2025-01-01", "--to", "2027-01-01", "--slices", strconv.Itoa(n), "--parallel", "6", "--json")
	if !strings.Contains(out, fmt.Sprintf(`"partitions":%d,`, b.hours)) {
		b.t.Fatalf("submitted was %s, want %d partitions", out, b.hours)
	}
	b.begun = time.Now()
	killed, still, other := b.worker(), b.worker(), b.worker()
	b.until("a third is done and each has something", func(r *requests.Request) bool {
		return r.SlicesRun() >= n/3 && killed.holds(r) && still.holds(r)
	})
	still.signal(syscall.SIGSTOP)
	killed.signal(syscall.SIGKILL)
	_ = killed.cmd.Wait() // which says that it was killed
	b.note("a third was done; one worker was killed, and one stopped")
	trouble()
	b.until("all is done", (*requests.Request).Ended)
	b.note("all was done")
	if r := b.request(); r.State() != requests.Done || still.holds(r) || killed.holds(r) {
		b.t.Errorf("the request is %s: %+v", r.State(), r)
	}
	still.signal(syscall.SIGCONT)
	// If it was stopped just when it handed in all that it ran, it may only know that it
	// does not know whether that arrived.
	still.untilSaid("went to another worker", "outcome unknown")
	for _, w := range []*worker{still, other} {
		w.signal(os.Interrupt)
		if err := w.cmd.Wait(); err != nil {
			b.t.Errorf("a worker that was interrupted: %v\n%s", err, w.said())
		}
	}
	b.publishedOnce()
}

func (b *backfilled) note(what string) {
	b.t.Logf("%6.1fs: %s", time.Since(b.begun).Seconds(), what)
}

// publishedOnce checks that each partition is published, in one version, and the rows right.
func (b *backfilled) publishedOnce() {
	b.t.Helper()
	versions := map[string]int{}
	for change, err := range manifests.Open(b.store, "sales_hourly", manifests.Options{}).Changes(b.t.Context()) {
		if err != nil {
			b.t.Fatal(err)
		}
		for _, r := range change.Receipts {
			versions[r.Partition]++
		}
	}
	once := 0
	for partition, n := range versions {
		if n == 1 {
			once++
		} else {
			b.t.Errorf("partition %s was published %d times", partition, n)
		}
	}
	b.t.Logf("%d partitions were published once, of %d", once, b.hours)
	if once != b.hours {
		b.t.Errorf("%d partitions were published once, want %d", once, b.hours)
	}
	compare(b.t, b.sums(), b.want)
	b.run("check-lake")
}

// sums are the published rows.
func (b *backfilled) sums() map[string]string {
	b.t.Helper()
	records, err := csv.NewReader(strings.NewReader(b.run("query", "--format", "csv",
		"SELECT strftime(window_start, '%Y-%m-%dT%H'), shop, sales, cents FROM sales_hourly"))).ReadAll()
	if err != nil {
		b.t.Fatal(err)
	}
	rows := map[string]string{}
	for _, r := range records[1:] {
		key := r[0] + " " + r[1]
		if rows[key] != "" {
			b.t.Errorf("row %s is published twice", key)
		}
		rows[key] = r[2] + " " + r[3]
	}
	return rows
}

// request is the one that was submitted, as the log tells it.
func (b *backfilled) request() *requests.Request {
	b.t.Helper()
	all, err := b.queue.List(b.t.Context())
	if err != nil || len(all) != 1 {
		b.t.Fatalf("%d requests are listed: %v", len(all), err)
	}
	return all[0]
}

// until waits for the request to come that far.
func (b *backfilled) until(what string, is func(*requests.Request) bool) {
	b.t.Helper()
	deadline := time.Now().Add(patient)
	for !is(b.request()) {
		if time.Now().After(deadline) {
			b.t.Fatalf("after %v it is not so that %s: %+v", patient, what, b.request())
		}
		time.Sleep(5 * time.Millisecond) // to leave the others the processor
	}
}

// worker is a "strandline worker" that runs.
type worker struct {
	t     *testing.T
	cmd   *exec.Cmd
	notes *os.File
}

func (b *backfilled) worker() *worker {
	b.t.Helper()
	notes, err := os.CreateTemp(b.dir, "notes")
	if err != nil {
		b.t.Fatal(err)
	}
	w := &worker{b.t, b.command("worker", "--parallel", "2", "--lease", "2s", "--poll", "50ms"), notes}
	w.cmd.Stderr = notes
	if err := w.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	return w
}

func (w *worker) signal(s os.Signal) {
	w.t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.t.Fatal(err)
	}
}

// holds tells whether the worker has claims.
func (w *worker) holds(r *requests.Request) bool {
	for _, c := range r.Claims {
		if strings.Contains(c.Worker, fmt.Sprintf(" pid %d ", w.cmd.Process.Pid)) {
			return true
		}
	}
	return false
}

func (w *worker) said() string {
	text, err := os.ReadFile(w.notes.Name())
	if err != nil {
		w.t.Error(err)
	}
	return string(text)
}

// untilSaid waits for the worker to say one of several things to people.
func (w *worker) untilSaid(one ...string) {
	w.t.Helper()
	deadline := time.Now().Add(patient)
	said := func(words string) bool { return strings.Contains(w.said(), words) }
	for !slices.ContainsFunc(one, said) {
		if time.Now().After(deadline) {
			w.t.Fatalf("a worker said none of %q, but: %s", one, w.said())
		}
		time.Sleep(5 * time.Millisecond)
	}
}
