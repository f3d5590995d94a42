package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"strandline/internal/objstore"
)

// world is one history being lived: the store, the processes, and the model
// that watches them.
type world struct {
	seed  uint64
	dir   string
	store *objstore.Memory
	names *names
	ctx   context.Context
	stop  context.CancelFunc
	start time.Time
	alive sync.WaitGroup

	mu       sync.Mutex // guards what follows, and everything that happens
	model    *model
	lines    []line
	broken   error // the first thing that was not as it must be
	code     *code // what a process that starts now is of
	contents []*content
	met      map[string]int // what has happened, by kind
}

// line is one line of the history.
type line struct {
	at   time.Duration
	text string
}

func newWorld(seed uint64, dir string) *world {
	w := &world{
		seed: seed, dir: dir, store: objstore.NewMemory(), names: &names{byID: map[string]string{}},
		start: time.Now(), code: codes[0], met: map[string]int{},
	}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.model = newModel(w.store)
	return w
}

// create puts an object into the store, and has the model look at it.
func (w *world) create(key string, body []byte) error {
	err := w.store.Create(context.Background(), key, bytes.Clone(body))
	if err == nil {
		w.must(w.model.created(key, body))
	}
	return err
}

func (w *world) remove(key string) error {
	w.must(w.model.removed(key))
	return w.store.Delete(context.Background(), key)
}

// told has the model look at what the system told a user.
func (w *world) told(p *process, look func(*model) error) {
	if p.isDead() {
		return // it told nobody
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := look(w.model); err != nil {
		w.must(fmt.Errorf("%w (told by %s)", err, p))
	}
}

// must ends the history with what is wrong. Its first words say which promise
// was broken.
func (w *world) must(err error) {
	if err == nil || w.broken != nil {
		return
	}
	w.broken = err
	w.lines = append(w.lines, line{time.Since(w.start), "BROKEN: " + err.Error()})
	w.stop()
}

func (w *world) note(p *process, f fate, what string) {
	if !errors.Is(p.ctx.Err(), context.Canceled) {
		w.met[what]++
	}
	w.say(fmt.Sprintf("%-4s %-70s %s", p, f.label, what))
}

func (w *world) say(text string) {
	if w.broken == nil {
		w.lines = append(w.lines, line{time.Since(w.start), text})
	}
}

// history is everything that happened, in order.
func (w *world) history() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.lines, func(a, b line) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return strings.Compare(a.text, b.text)
	})
	var text strings.Builder
	for _, l := range w.lines {
		fmt.Fprintf(&text, "%12s  %s\n", l.at.Round(time.Millisecond), l.text)
	}
	return text.String()
}

// settle stops what runs, and lets pass until whatever comes late has come.
func (w *world) settle() {
	w.stop()
	w.alive.Wait()
	time.Sleep(10 * time.Minute)
}

func (w *world) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}
