package post

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// drain lets a server end: it takes no more posts, and waits for those under way.
type drain struct {
	mu       sync.Mutex
	posts    int           // under way
	stopping bool          // no more are taken
	empty    chan struct{} // closed once none is under way and none is taken
	// cut ends when bodies that are not whole yet are waited for no longer.
	cut    context.Context
	cutNow context.CancelFunc
}

func newDrain() *drain {
	d := &drain{empty: make(chan struct{})}
	d.cut, d.cutNow = context.WithCancel(context.Background())
	return d
}

// enter tells whether one more post is taken. Then it is to leave.
func (d *drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping {
		return false
	}
	d.posts++
	return true
}

func (d *drain) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.posts--; d.posts == 0 && d.stopping {
		close(d.empty)
	}
}

// stop takes no more posts.
func (d *drain) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping {
		return
	}
	if d.stopping = true; d.posts == 0 {
		close(d.empty)
	}
}

func (d *drain) isStopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping
}

// wait waits until no post is under way, or ctx ends. Bodies have a while to come in.
func (d *drain) wait(ctx context.Context, while time.Duration) {
	defer d.cutNow()
	late := time.AfterFunc(while, d.cutNow)
	defer late.Stop()
	select {
	case <-d.empty:
	case <-ctx.Done():
	}
}

// reading makes reads of a request's body end with the cut. It is over when done is called.
func (d *drain) reading(w http.ResponseWriter) (done func()) {
	stop := context.AfterFunc(d.cut, func() {
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // long ago
	})
	return func() { stop() }
}
