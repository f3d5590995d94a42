package sim

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"strandline/compaction"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/runner"
	"strandline/window"
)

// cut is a store whose process is dead right before, or right after, its nth
// call: what kill -9 does, without a process to kill. No call after that does
// anything.
type cut struct {
	objstore.Store
	nth   int
	after bool

	mu      sync.Mutex
	calls   int
	reached chan struct{}
}

func (c *cut) call(do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock() // one call at a time, so that there is an nth
	c.calls++
	if c.calls > c.nth && c.nth > 0 {
		return errDead
	}
	if c.calls != c.nth {
		return do()
	}
	if c.after {
		_ = do()
	}
	close(c.reached)
	return errDead
}

func (c *cut) Create(ctx context.Context, key string, body []byte) error {
	return c.call(func() error { return c.Store.Create(ctx, key, body) })
}

func (c *cut) Upload(ctx context.Context, key, path string) error {
	return c.call(func() error { return c.Store.Upload(ctx, key, path) })
}

func (c *cut) Read(ctx context.Context, key string) (body []byte, err error) {
	err = c.call(func() (err error) { body, err = c.Store.Read(ctx, key); return err })
	return body, err
}

func (c *cut) Download(ctx context.Context, key, path string) error {
	return c.call(func() error { return c.Store.Download(ctx, key, path) })
}

func (c *cut) List(ctx context.Context, prefix, after string, most int) (found []objstore.Object, err error) {
	err = c.call(func() (err error) { found, err = c.Store.List(ctx, prefix, after, most); return err })
	return found, err
}

func (c *cut) Delete(ctx context.Context, key string) error {
	return c.call(func() error { return c.Store.Delete(ctx, key) })
}

// lake is one process's view of a lake in a folder.
type lake struct {
	store  objstore.Store
	stream *landing.Stream
	table  *manifests.Table
	files  *localfile.Cache
	task   *runner.Task
}

func openFolder(t *testing.T, dir string) objstore.Store {
	t.Helper()
	folder, err := objstore.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func openLake(t *testing.T, store objstore.Store) lake {
	dir := t.TempDir()
	l := lake{
		store:  store,
		stream: landing.Open(store, salesSpec, landing.Options{Scratch: dir}),
		table:  manifests.Open(store, "t", manifests.Options{Writer: "w"}),
		files:  localfile.New(store, dir, 1<<30),
	}
	on := runner.Lake{Store: store, Engine: engine, Files: l.files, Scratch: dir}
	l.task = runner.NewTask(on, codes[0].compiled, runner.FromStream(l.stream), l.table)
	return l
}

func (l lake) land(ctx context.Context, c *content) error {
	in, err := l.stream.Begin(landing.Source{Name: c.name})
	if err != nil {
		return err
	}
	for i, s := range c.sales {
		if err := in.Add(s.row(i)); err != nil {
			return err
		}
	}
	_, err = in.Commit(ctx, c.identity)
	return err
}

func (l lake) backfill(ctx context.Context) error {
	r := runner.Request{Driver: manifests.DriverBackfill, Range: window.Interval{Start: firstDay, End: firstDay.AddDate(0, 0, 3)}}
	generation, err := l.task.Register(ctx, r.Driver)
	if err != nil {
		return err
	}
	plan, err := l.task.Plan(ctx, r)
	if err != nil {
		return err
	}
	_, err = l.task.Execute(ctx, plan, runner.Options{Driver: r.Driver, Generation: generation, Parallel: 1, Together: true})
	return err
}

func (l lake) compact(ctx context.Context) error {
	c := compaction.Compactor{Stream: l.stream, Files: l.files, Limits: compaction.Limits{Target: 1 << 20, Growth: 2, Members: 9, Columns: 100}, Vouch: l.task.CheckHistory}
	return c.Run(ctx)
}

// fullContent is one with rows in every partition.
func fullContent(name string) *content {
	for i := 0; ; i++ {
		if c := newContent(draw(name, i), name); len(c.sales) > 9 {
			return c
		}
	}
}

// Every call of land, of compacting, of publishing and of a rollback is a point to die at. What
// comes after, from the start, must end as if nobody had died.
func TestDyingAtEveryCallLosesNothingAndDoublesNothing(t *testing.T) {
	contents := []*content{fullContent("a"), fullContent("b"), fullContent("c")}
	template := t.TempDir()
	l := openLake(t, openFolder(t, template))
	for _, c := range contents[:2] {
		if err := l.land(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := l.backfill(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	commands := map[string]func(context.Context, lake) error{
		"land": func(ctx context.Context, l lake) error { return l.land(ctx, contents[2]) },
		"rollback": func(ctx context.Context, l lake) error {
			_, err := publish.Rollback(ctx, l.store, l.table, 2)
			return err
		},
		"land and compact": func(ctx context.Context, l lake) error {
			if err := l.land(ctx, contents[2]); err != nil {
				return err
			}
			return l.compact(ctx)
		},
		"land and publish": func(ctx context.Context, l lake) error {
			if err := l.land(ctx, contents[2]); err != nil {
				return err
			}
			return l.backfill(ctx)
		},
	}
	for name, command := range commands {
		t.Run(name, func(t *testing.T) {
			want, calls := ends(t, template, command, &cut{})
			t.Logf("%d calls, in the end\n%s", calls, want)
			for nth := 1; nth <= calls; nth++ {
				for _, after := range []bool{false, true} {
					c := &cut{nth: nth, after: after, reached: make(chan struct{})}
					got, _ := ends(t, template, command, c)
					select {
					case <-c.reached:
					default:
						t.Fatalf("call %d of %d was never made", nth, calls)
					}
					if got != want {
						t.Errorf("dead at call %d (after it: %v), and started again, it ends with\n%s\nwant\n%s", nth, after, got, want)
					}
				}
			}
		})
	}
}

// ends runs a command on a copy of a lake until it is cut, then again to its
// end, and tells what the lake is then.
func ends(t *testing.T, template string, command func(context.Context, lake) error, c *cut) (is string, calls int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	folder := openFolder(t, dir)
	c.Store = folder
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- command(ctx, openLake(t, c)) }()
	if c.nth == 0 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	} else {
		<-c.reached
	}
	cancel()
	l := openLake(t, folder)
	if err := command(t.Context(), l); err != nil {
		t.Fatalf("started again: %v", err)
	}
	return l.describe(t), c.calls
}

// describe tells all of a lake that does not differ from run to run, and looks
// that its files are there.
func (l lake) describe(t *testing.T) string {
	t.Helper()
	if err := l.stream.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := ""
	err := l.stream.Arrivals(t.Context(), 0, l.stream.Next(), func(a landing.Arrival) error {
		text += fmt.Sprintf("%s [%d, %d)\n", a.Name, a.From, a.To)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	l.stream.View(func(s *landing.State) {
		for _, g := range s.Segments() {
			text += fmt.Sprintf("segment of [%d, %d)\n", g.Base, g.End())
		}
	})
	// What the log sums up is what the segments hold, whichever they are.
	in, err := l.stream.Rederiver(l.files).Input(t.Context(), landing.Hours{From: 0, To: 1 << 40}, l.stream.Next())
	if err != nil {
		t.Fatal(err)
	}
	text += fmt.Sprintf("%d rows\n", in.Rows)
	for c, err := range l.table.Changes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("version %d by %s\n", c.Version, c.Driver)
	}
	snapshot, err := l.table.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range snapshot.Receipts() {
		text += fmt.Sprintf("%s %d rows, digest %s\n", r.Partition, r.Rows, r.RowDigest)
	}
	return text
}
