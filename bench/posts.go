package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/ingest"
	"strandline/ingest/post"
	"strandline/internal/objstore"
	"strandline/landing"
)

// The clients that post at a time, and the rows of each of their posts.
const (
	postClients = 64
	postRows    = 10
)

// posts compares landing small posts with a server that only appends them to a file,
// and syncs it before it answers. The clients run in the same process.
func (b bench) posts() error {
	all := b.rows / 4
	t := newTable(fmt.Sprintf("%d clients post %d rows at a time, into a folder", postClients, postRows),
		"", "rows", "wall s", "CPU s", "rows/s", "answered within ms (half, 99 %)", "peak MiB", "rows/s, append and sync = 1")
	for _, rows := range []int{all / 4, all} {
		text := strconv.Itoa(rows)
		if _, err := b.child(1, "make events", text); err != nil {
			return err
		}
		appended, err := b.best(2, "post append", text)
		if err != nil {
			return err
		}
		landed, err := b.best(2, "post", text)
		if err != nil {
			return err
		}
		row := func(name string, f facts) {
			p := f.total()
			t.row(name, text, seconds(p.Wall), seconds(p.CPU), fmt.Sprintf("%.0f", float64(f.Rows)/p.Wall.Seconds()),
				fmt.Sprintf("%d, %d", f.Calls["half ms"], f.Calls["most ms"]), mib(f.peak), times(appended.total().Wall, p.Wall))
		}
		row("append to a file and sync", appended)
		row("Strandline", landed)
	}
	return t.end()
}

// post lands the events of args[0] rows by posts, each with a key.
func (b bench) post(ctx context.Context, args []string) (f facts, err error) {
	dir, err := os.MkdirTemp(b.dir, "post-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	store, err := objstore.OpenFolder(dir)
	if err != nil {
		return f, err
	}
	var trouble error
	server, err := post.New(post.Options{
		Streams: map[string]post.Stream{"sales": {Landing: landing.Open(store, salesSpec, landing.Options{Scratch: dir})}},
		Landed:  func(_ string, o ingest.Outcome) { f.Rows += o.Rows() },
		Trouble: func(_ string, err error) { trouble = err },
	})
	if err != nil {
		return f, err
	}
	err = b.posted(ctx, args[0], &f, server.Serve)
	return f, errors.Join(err, trouble)
}

// postAppend appends the same posts to one file.
func (b bench) postAppend(ctx context.Context, args []string) (f facts, err error) {
	file, err := os.CreateTemp(b.dir, "append-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	var mu sync.Mutex
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			if _, err = file.Write(body); err == nil {
				err = file.Sync()
			}
			f.Rows += int64(bytes.Count(body, []byte("\n")))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	err = b.posted(ctx, args[0], &f, func(ctx context.Context, listener net.Listener) error {
		server := &http.Server{Handler: handler}
		context.AfterFunc(ctx, func() { _ = server.Close() })
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	return f, err
}

// posted posts a file of events to a server, and tells what that took.
func (b bench) posted(ctx context.Context, rows string, f *facts, serve func(context.Context, net.Listener) error) error {
	file, err := os.Open(b.eventsFile(rows))
	if err != nil {
		return err
	}
	defer file.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var server errgroup.Group
	server.Go(func() error { return serve(ctx, listener) })
	var waits waits
	p, err := measure(func() error {
		err := postAll(ctx, "http://"+listener.Addr().String()+"/v1/streams/sales", bufio.NewReader(file), keyOf, &waits)
		stop()
		return errors.Join(err, server.Wait())
	})
	f.Phases = map[string]phase{"post": p}
	f.Calls = map[string]int{"half ms": waits.upTo(.5), "most ms": waits.upTo(.99)}
	return err
}

// keyOf is the key of the nth post of a client.
func keyOf(client, n int) string { return fmt.Sprintf(`"%d-%d"`, client, n) }

// postAll has clients post the lines of r, all of them once, with a key each unless it is
// empty.
func postAll(ctx context.Context, url string, r *bufio.Reader, key func(client, n int) string, waits *waits) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: postClients}}
	defer client.CloseIdleConnections()
	bodies := make(chan []byte, postClients)
	clients, ctx := errgroup.WithContext(ctx)
	clients.Go(func() error {
		defer close(bodies)
		return cut(ctx, r, bodies)
	})
	for i := range postClients {
		clients.Go(func() error {
			n := 0
			for body := range bodies {
				n++
				begun := time.Now()
				if err := postOne(ctx, client, url, key(i, n), body); err != nil {
					return err
				}
				waits.add(time.Since(begun))
			}
			return nil
		})
	}
	return clients.Wait()
}

// cut sends the lines of r on, some at a time.
func cut(ctx context.Context, r *bufio.Reader, bodies chan<- []byte) error {
	for {
		var body []byte
		var err error
		for range postRows {
			var line []byte
			line, err = r.ReadBytes('\n')
			body = append(body, line...)
		}
		if len(body) > 0 {
			select {
			case bodies <- body:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func postOne(ctx context.Context, client *http.Client, url, key string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("answered %d %s", answer.StatusCode, text)
	}
	return err
}

// waits counts how long clients waited for their answers, by the millisecond.
type waits struct {
	mu   sync.Mutex
	of   [10_000]int // the last is of all that are longer
	many int
}

func (w *waits) add(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of[min(int(d.Milliseconds()), len(w.of)-1)]++
	w.many++
}

// upTo returns within how many milliseconds a share of the answers came.
func (w *waits) upTo(share float64) int {
	seen := 0
	for ms, n := range w.of {
		if seen += n; float64(seen) >= share*float64(w.many) {
			return ms + 1
		}
	}
	return len(w.of)
}
