package post

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
)

// Clients post through servers that share a lake whose store fails, loses answers and
// does things late, and whose own answers get lost. Each post has a key and is repeated
// until it is answered, by one server or another. In the end every row is there once, at
// the position that every answer told.
func TestPostsLandOnceWhateverGoesWrong(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			var clients sync.WaitGroup
			for client := range 4 {
				random := rand.New(rand.NewPCG(seed, uint64(client)))
				clients.Go(func() { h.live(client, random) })
			}
			clients.Wait()
			h.store.Release() // what was put off comes when all is over
			h.check()
		})
	}
}

// history is one such run, and what was answered.
type history struct {
	t       *testing.T
	memory  *objstore.Memory
	store   *objstore.Fault
	servers []*served

	mu      sync.Mutex
	answers map[string][]Answer // of each post, by its key
	sizes   map[string]int      // its rows
}

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{t: t, memory: objstore.NewMemory(), answers: map[string][]Answer{}, sizes: map[string]int{}}
	h.store = objstore.NewFault(h.memory, objstore.SeededFaults(seed, .1))
	for range 2 {
		h.servers = append(h.servers, serve(t, h.store, func(o *Options) {
			stream := landing.Open(h.store, spec, landing.Options{Scratch: t.TempDir(), Log: log.Options{Pause: atOnce, Deadline: 50 * time.Millisecond}})
			o.Streams["events"] = Stream{Landing: stream}
			o.Limits.Delay = time.Millisecond
		}))
	}
	return h
}

// live has a client make its posts. Some keys are posted by two clients at a time.
func (h *history) live(client int, random *rand.Rand) {
	for i := range 8 {
		key := fmt.Sprintf("%d-%d", client/2, i) // two clients each
		if random.IntN(3) == 0 {
			key = fmt.Sprintf("%d-%d-alone", client, i)
		}
		if err := h.insist(key, random); err != nil {
			h.t.Error(err)
		}
	}
}

// insist posts until it has an answer that it reads.
func (h *history) insist(key string, random *rand.Rand) error {
	size := 1 + len(key)%3
	body := lines(key, size)
	for range 1000 {
		s := h.servers[random.IntN(len(h.servers))]
		got, err := s.try("POST", "/v1/streams/events", strings.NewReader(body), "Content-Type: "+ndjson, fmt.Sprintf("Idempotency-Key: %q", key))
		switch {
		case err != nil:
			return err
		case got.status == http.StatusOK:
			h.mu.Lock()
			h.answers[key], h.sizes[key] = append(h.answers[key], got.answer), size
			h.mu.Unlock()
			if random.IntN(3) > 0 {
				return nil
			} // else the answer gets lost on its way, and the client asks again
		case got.status == http.StatusConflict, got.status == http.StatusServiceUnavailable:
		default:
			return fmt.Errorf("%s: answered %d %s", key, got.status, got.body)
		}
	}
	return errors.New("no answer to " + key)
}

// check holds what was answered against what is there.
func (h *history) check() {
	for _, s := range h.servers {
		s.stop()
	}
	rows := readRows(h.t, h.memory)
	total := 0
	for key, answers := range h.answers {
		total += h.sizes[key]
		first := answers[0]
		for _, a := range answers {
			a.Duplicate = first.Duplicate
			if fmt.Sprint(a) != fmt.Sprint(first) || int(a.Landed) != h.sizes[key] {
				h.t.Errorf("%s was answered %+v, and then %+v", key, first, a)
			}
		}
		for i := range h.sizes[key] {
			want := landedRow{fmt.Sprintf("%s-%d", key, i), "http:open:" + key}
			if got := rows[first.From+landing.Position(i)]; got != want {
				h.t.Errorf("%s was answered position %d, where there is %v, want %v", key, first.From, got, want)
			}
		}
	}
	if total != len(rows) {
		h.t.Errorf("%d rows of answered posts, and %d rows in the lake", total, len(rows))
	}
}
