package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"golang.org/x/sync/errgroup"

	"strandline/internal/miniotest"
	"strandline/internal/objstore"
)

func TestMain(m *testing.M) { miniotest.Main(m) }

// Writers and readers work on one log at once, over a store that goes wrong,
// also with writes that land long after their writer gave up. What each was
// told must fit into one order in which a log could have done it all.
func TestTheLogIsLinearizableOverMemory(t *testing.T) {
	linearizable(t, 200, func(*testing.T) objstore.Store { return objstore.NewMemory() })
}

func TestTheLogIsLinearizableOverAFolder(t *testing.T) {
	linearizable(t, 20, func(t *testing.T) objstore.Store {
		folder, err := objstore.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return folder
	})
}

func TestTheLogIsLinearizableOverMinIO(t *testing.T) {
	server := miniotest.Start(t)
	linearizable(t, 10, func(t *testing.T) objstore.Store {
		store, err := objstore.OpenS3(t.Context(), objstore.S3Options{
			Bucket: server.Bucket(t), Endpoint: server.Endpoint, PathStyle: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return store
	})
}

func linearizable(t *testing.T, seeds int, open func(*testing.T) objstore.Store) {
	t.Helper()
	linearizableOf(t, seeds, open, appends((*Log).Append))
}

func linearizableOf(t *testing.T, seeds int, open func(*testing.T) objstore.Store, kind func(id int, store Store, h *history) participant) {
	t.Helper()
	if testing.Short() {
		seeds = max(3, seeds/10)
	}
	for seed := range uint64(seeds) {
		h := observe(t, open(t), seed, kind)
		if result := h.check(); result != porcupine.Ok {
			h.keep(t, seed)
			t.Fatalf("seed %d: the history is %s", seed, result)
		}
	}
}

// The check is worth something: it finds out a log that takes an object in its
// slot for another's without looking for its own nonce.
func TestTheCheckFindsALogThatDoesNotLookForItsNonce(t *testing.T) {
	for seed := range uint64(200) {
		h := observe(t, objstore.NewMemory(), seed, appends(appendByRetry))
		if h.check() == porcupine.Illegal {
			return
		}
	}
	t.Fatal("200 histories of a broken log all passed")
}

// appendByRetry is how it is done wrong: by a client that repeats a request
// without an answer, so that its own success refuses it.
func appendByRetry(l *Log, ctx context.Context, head Head, body any) (Entry, error) {
	object, err := l.encode(head, body)
	if err != nil {
		return Entry{}, err
	}
	for try := 0; ; try++ {
		err := l.store.Create(ctx, l.key(head.Number+1), object)
		switch {
		case err == nil:
			return l.decode(object, head)
		case errors.Is(err, objstore.ErrExists):
			return Entry{}, ErrConflict
		case try == 3:
			return Entry{}, ErrUnknown
		}
	}
}

// participant takes part in a history.
type participant interface {
	step(value string) error
	read() error
}

type appender func(l *Log, ctx context.Context, head Head, body any) (Entry, error)

// history gathers what clients asked for and were told.
type history struct {
	clock atomic.Int64 // counts calls and returns, so that no two are at the same time

	mu         sync.Mutex
	operations []porcupine.Operation
}

// observe lets four clients, each with faults of its own making around it,
// read and append on one log. Reads that went wrong tell nothing and are left out.
func observe(t *testing.T, store objstore.Store, seed uint64, kind func(id int, store Store, h *history) participant) *history {
	t.Helper()
	h := &history{}
	fault := objstore.NewFault(store, objstore.SeededFaults(seed, 0.25))
	var clients errgroup.Group
	for id := range 4 {
		clients.Go(func() error {
			c := kind(id, fault, h)
			random := rand.New(rand.NewPCG(seed, uint64(id)))
			for i := range 8 {
				if random.IntN(4) == 0 {
					fault.Release()
				}
				if err := c.step(fmt.Sprintf("%d.%d", id, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := clients.Wait(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for fault.Release() > 0 {
	}
	if err := kind(4, store, h).read(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return h
}

// giveUp is a pause that takes no time and ends every third append without an
// answer as one of unknown outcome.
func giveUp() func(context.Context, time.Duration) error {
	var pauses atomic.Int64
	return func(context.Context, time.Duration) error {
		if pauses.Add(1)%3 == 0 {
			return context.DeadlineExceeded
		}
		return nil
	}
}

// appends makes clients that read and append by hand.
func appends(add appender) func(id int, store Store, h *history) participant {
	return func(id int, store Store, h *history) participant {
		return &client{id: id, log: New(store, "t", Options{Pause: giveUp()}), add: add, history: h}
	}
}

type client struct {
	id      int
	log     *Log
	add     appender
	history *history
	head    Head
	seen    []string
}

// step reads on and appends after what it has seen.
func (c *client) step(value string) error {
	if err := c.read(); err != nil && !errors.Is(err, objstore.ErrFault) {
		return err
	}
	call := c.history.clock.Add(1)
	entry, err := c.add(c.log, context.Background(), c.head, value)
	told := answer{outcome: won, at: entry.Number}
	switch {
	case errors.Is(err, ErrConflict):
		told = answer{outcome: lost}
	case errors.Is(err, ErrUnknown):
		told = answer{outcome: unknown}
	case err != nil:
		return err
	}
	c.history.note(c.id, call, question{value: value, after: c.head.Number}, told)
	return nil
}

func (c *client) read() error {
	call := c.history.clock.Add(1)
	entries, err := c.log.ReadAfter(context.Background(), c.head)
	if err != nil {
		return err
	}
	for _, e := range entries {
		c.seen = append(c.seen, strings.Trim(string(e.Body), `"`))
		c.head = e.Head()
	}
	c.history.note(c.id, call, question{}, answer{list: strings.Join(c.seen, " ")})
	return nil
}

// note records one call and its answer. One of unknown outcome may take effect
// at any time from its call on, so it never returns.
func (h *history) note(id int, call int64, q question, a answer) {
	returned := h.clock.Add(1)
	if a.outcome == unknown {
		returned = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{ClientId: id, Input: q, Call: call, Output: a, Return: returned})
}

func (h *history) check() porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(logModel(), h.operations, time.Minute)
}

// keep writes a picture of the history beside the tests' other temporary files.
func (h *history) keep(t *testing.T, seed uint64) {
	_, info := porcupine.CheckOperationsVerbose(logModel(), h.operations, time.Minute)
	path := filepath.Join(os.TempDir(), fmt.Sprintf("strandline-log-%d.html", seed))
	if err := porcupine.VisualizePath(logModel(), info, path); err != nil {
		t.Error(err)
		return
	}
	t.Logf("see %s", path)
}
