package sim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"strandline/internal/objstore"
)

var (
	errFault = errors.New("the store gave no answer")
	errDead  = errors.New("this process is dead")
)

// door is a process's way to the store of its world. Each call takes its time,
// and ends as its fate is.
type door struct{ process *process }

var _ objstore.Store = door{}

// turn is how long a goroutine waits before it makes a call. Time passes when all
// goroutines of the history wait: so what others do at the same instant, such as to cancel
// this call, is done, whoever was the first to run.
const turn = time.Nanosecond

// call does one call. A caller that is killed, or stops waiting, may have sent
// it already; then it happens all the same.
func (d door) call(ctx context.Context, op objstore.Op, key string, do func() error) error {
	p := d.process
	time.Sleep(turn)
	if p.isDead() {
		return errDead
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: %w", op, key, err)
	}
	f := p.fate(op, key)
	answered := make(chan error, 1)
	timer := time.AfterFunc(f.after, func() { answered <- p.world.happen(p, f, do) })
	select {
	case err := <-answered:
		return err
	case <-p.dead:
		f.left(timer)
		return errDead
	case <-ctx.Done():
		f.left(timer)
		return fmt.Errorf("%s %s: %w", op, key, ctx.Err())
	}
}

// left ends a call that nobody waits for any more, unless it was sent.
func (f fate) left(timer *time.Timer) {
	if !f.sent {
		timer.Stop()
	}
}

// happen is the moment at which a call reaches the store, or does not. It is
// the only place where something becomes of the world.
func (w *world) happen(p *process, f fate, do func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch f.end {
	case passes:
		err := do()
		w.note(p, f, result(err))
		return err
	case loses:
		w.note(p, f, result(do())+", and the answer is lost")
	case comesLate:
		w.note(p, f, "no answer; it comes late")
		time.AfterFunc(f.late, func() { w.comeLate(p, f, do) })
	case diesAfter:
		w.note(p, f, result(do())+", and the process dies")
		p.kill()
		return errDead
	case diesBefore:
		w.note(p, f, "the process dies before")
		p.kill()
		return errDead
	default:
		w.note(p, f, "fails")
	}
	return fmt.Errorf("%s: %w", f.label, errFault)
}

func (w *world) comeLate(p *process, f fate, do func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(p, f, "comes late: "+result(do()))
}

func result(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, objstore.ErrExists):
		return "exists"
	case errors.Is(err, objstore.ErrNotFound):
		return "not found"
	}
	return err.Error()
}

func (d door) Create(ctx context.Context, key string, body []byte) error {
	w := d.process.world
	return d.call(ctx, objstore.OpCreate, key, func() error { return w.create(key, body) })
}

func (d door) Upload(ctx context.Context, key, path string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	w := d.process.world
	w.names.add(key, body)
	return d.call(ctx, objstore.OpUpload, key, func() error { return w.create(key, body) })
}

func (d door) Read(ctx context.Context, key string) (body []byte, err error) {
	w := d.process.world
	err = d.call(ctx, objstore.OpRead, key, func() (err error) {
		body, err = w.store.Read(context.Background(), key)
		return err
	})
	return body, err
}

func (d door) ReadRange(ctx context.Context, key string, offset, length int64) (body []byte, err error) {
	w := d.process.world
	err = d.call(ctx, objstore.OpReadRange, key, func() (err error) {
		body, err = w.store.ReadRange(context.Background(), key, offset, length)
		return err
	})
	return body, err
}

func (d door) Download(ctx context.Context, key, path string) error {
	w := d.process.world
	var body []byte
	err := d.call(ctx, objstore.OpDownload, key, func() (err error) {
		body, err = w.store.Read(context.Background(), key)
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o600)
}

func (d door) List(ctx context.Context, prefix, after string, most int) (found []objstore.Object, err error) {
	w := d.process.world
	err = d.call(ctx, objstore.OpList, prefix, func() (err error) {
		found, err = w.store.List(context.Background(), prefix, after, most)
		return err
	})
	return found, err
}

func (d door) Delete(ctx context.Context, key string) error {
	w := d.process.world
	return d.call(ctx, objstore.OpDelete, key, func() error { return w.remove(key) })
}

func (d door) URL(key string) string { return "sim:///" + key }
