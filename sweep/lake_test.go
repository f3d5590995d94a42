package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

// lake is a lake in memory with a stream "sales" and a table "totals".
type lake struct {
	*testing.T
	store *clocked
}

func newLake(t *testing.T) lake {
	now := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	return lake{t, &clocked{Store: objstore.NewMemory(), now: now, made: map[string]time.Time{}}}
}

// clocked is a store whose clock stands still but for wait.
type clocked struct {
	objstore.Store
	mu   sync.Mutex
	now  time.Time
	made map[string]time.Time
}

func (l lake) wait(d time.Duration) { l.store.now = l.store.now.Add(d) }

func (c *clocked) making(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[key] = c.now
}

func (c *clocked) Create(ctx context.Context, key string, body []byte) error {
	err := c.Store.Create(ctx, key, body)
	if err == nil {
		c.making(key)
	}
	return err
}

func (c *clocked) Upload(ctx context.Context, key, path string) error {
	c.making(key)
	return c.Store.Upload(ctx, key, path)
}

func (c *clocked) List(ctx context.Context, prefix, after string, most int) ([]objstore.Object, error) {
	found, err := c.Store.List(ctx, prefix, after, most)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range found {
		found[i].Modified = c.made[found[i].Key]
	}
	return found, err
}

func (l lake) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// id is the name of a file that ends with n.
func id(n int) string { return fmt.Sprintf("%032x", n) }

func published(partition string, n int) string {
	return manifests.DataKey("totals", partition, id(n))
}

func (l lake) put(keys ...string) {
	l.Helper()
	for _, key := range keys {
		l.ok(l.store.Create(l.Context(), key, []byte("some bytes")))
	}
}

// land lands one row and one reject, in a segment and a file of rejects.
func (l lake) land(name string) {
	l.Helper()
	spec := landing.Spec{
		Stream: "sales", EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMicros},
		Columns: []datafile.Column{{Name: "v", Type: datafile.Type{Kind: datafile.BigInt}}},
	}
	in, err := landing.Open(l.store, spec, landing.Options{Scratch: l.TempDir()}).Begin(landing.Source{Name: name})
	l.ok(err)
	l.ok(in.Add(landing.Row{EventTime: 1, Values: []datafile.Value{parquet.Int64Value(1)}}))
	l.ok(in.Reject(landing.Reject{Reason: "no row"}))
	_, err = in.Commit(l.Context(), landing.Identity{Digest: digest.OfBytes([]byte(name)), Size: 1})
	l.ok(err)
}

func (l lake) table() *manifests.Table { return manifests.Open(l.store, "totals", manifests.Options{}) }

func (l lake) snapshot() *manifests.Snapshot {
	l.Helper()
	s, err := l.table().Snapshot(l.Context())
	l.ok(err)
	return s
}

// empty is a receipt of the n-th of March that has no row, and so no file.
func empty(n int) manifests.Receipt {
	start := time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC)
	return manifests.Receipt{Partition: start.Format("2006-01-02"), Start: start, End: start.AddDate(0, 0, 1), Positions: manifests.Positions{}}
}

// receipt is one of the n-th of March, in file number file, which is brought up.
func (l lake) receipt(n, file int) manifests.Receipt {
	l.Helper()
	r := empty(n)
	r.InputDigest, r.RowDigest = digest.OfBytes([]byte(id(file))), digest.OfRow([]byte(id(file)))
	r.Rows, r.Files = 1, []manifests.File{{ID: id(file), Rows: 1}}
	l.put(published(r.Partition, file))
	return r
}

// publish publishes the n-th of March, from file number file, and returns the
// version.
func (l lake) publish(n, file int) manifests.Version {
	l.Helper()
	outcome, err := l.table().Publish(l.Context(), manifests.Proposal{Receipts: []manifests.Receipt{l.receipt(n, file)}})
	l.ok(err)
	return outcome.Version
}

func (l lake) hold(n, file int) {
	l.Helper()
	_, err := l.table().Publish(l.Context(), manifests.Proposal{Held: []manifests.Candidate{{Receipt: l.receipt(n, file)}}})
	l.ok(err)
}

// keys lists the lake's objects, but for those of logs.
func (l lake) keys() (keys []string) {
	l.Helper()
	all, err := l.store.List(l.Context(), "", "", 1<<20)
	l.ok(err)
	for _, o := range all {
		if !strings.Contains(o.Key, "/log/") && !strings.Contains(o.Key, "/checkpoints/") {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// sweep sweeps, and returns what went and the report.
func (l lake) sweep(o Options) (gone []string, report Report) {
	l.Helper()
	before := l.keys()
	o.Now = func() time.Time { return l.store.now }
	report, err := Run(l.Context(), l.store, o)
	l.ok(err)
	after := l.keys()
	for _, key := range before {
		if !slices.Contains(after, key) {
			gone = append(gone, key)
		}
	}
	return gone, report
}

func (l lake) wantGone(gone []string, want ...string) {
	l.Helper()
	slices.Sort(want)
	if !slices.Equal(gone, want) {
		l.Errorf("removed:\n%s\nwant:\n%s", strings.Join(gone, "\n"), strings.Join(want, "\n"))
	}
}
