package objstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
)

// Op is one kind of call to a Store.
type Op string

// The ops, one for each method that reaches the store.
const (
	OpCreate    Op = "create"
	OpUpload    Op = "upload"
	OpRead      Op = "read"
	OpReadRange Op = "read range"
	OpDownload  Op = "download"
	OpList      Op = "list"
	OpDelete    Op = "delete"
)

// Action is what a Fault does with one call.
type Action int

// The actions. All but Pass and Hang answer with an error that wraps ErrFault.
const (
	Pass       Action = iota // do it
	Fail                     // do nothing
	LoseAnswer               // do it, and say that it went wrong
	DoLate                   // do a write when Release is called, long after the caller gave up; as Fail for reads
	Hang                     // do nothing, and answer only once the caller's context ends
)

// ErrFault is the cause of every error that a Fault makes up.
var ErrFault = errors.New("injected fault")

// Fault is a store that goes wrong as its hook says, and counts its calls. It
// hides that a store is Local, so that nothing gets around it.
type Fault struct {
	store Store
	hook  func(op Op, key string) Action

	mu    sync.Mutex
	calls map[Op]int
	late  []func()
}

var _ Store = (*Fault)(nil)

// NewFault wraps store. The hook is asked once for each call, with the prefix
// for a key when listing, maybe by several goroutines at once; nil lets all
// calls pass.
func NewFault(store Store, hook func(op Op, key string) Action) *Fault {
	if hook == nil {
		hook = func(Op, string) Action { return Pass }
	}
	return &Fault{store: store, hook: hook, calls: map[Op]int{}}
}

// SeededFaults returns a hook that makes the given share of calls (0 to 1) go
// wrong, the same for the same seed and order of calls. It never hangs.
func SeededFaults(seed uint64, share float64) func(Op, string) Action {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 0))
	actions := []Action{Fail, LoseAnswer, DoLate}
	return func(Op, string) Action {
		mu.Lock()
		defer mu.Unlock()
		if random.Float64() >= share {
			return Pass
		}
		return actions[random.IntN(len(actions))]
	}
}

// Calls returns how many calls of an op there have been, whatever became of them.
func (f *Fault) Calls(op Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// Release does what was put off by DoLate, in the order it was asked for, and
// returns how many calls that was.
func (f *Fault) Release() int {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, do := range late {
		do()
	}
	return len(late)
}

// call does one call as the hook says. What do sees of a context has not ended
// when it is done late.
func (f *Fault) call(ctx context.Context, op Op, key string, do func(context.Context) error) error {
	f.mu.Lock()
	f.calls[op]++
	f.mu.Unlock()
	switch f.hook(op, key) {
	case Pass:
		return do(ctx)
	case LoseAnswer:
		_ = do(ctx) // the answer is what gets lost
	case DoLate:
		if op == OpCreate || op == OpUpload || op == OpDelete {
			f.putOff(func() { _ = do(context.WithoutCancel(ctx)) })
		}
	case Hang:
		<-ctx.Done()
		return fmt.Errorf("%s %q: %w", op, key, ctx.Err())
	}
	return fmt.Errorf("%s %q: %w", op, key, ErrFault)
}

// answer is call for what returns more than an error.
func answer[T any](ctx context.Context, f *Fault, op Op, key string, do func(context.Context) (T, error)) (T, error) {
	var got T
	err := f.call(ctx, op, key, func(ctx context.Context) error {
		value, err := do(ctx)
		got = value
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return got, nil
}

func (f *Fault) putOff(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = append(f.late, do)
}

// Create implements Store.
func (f *Fault) Create(ctx context.Context, key string, body []byte) error {
	body = bytes.Clone(body) // the caller may reuse its own before it is done late
	return f.call(ctx, OpCreate, key, func(ctx context.Context) error { return f.store.Create(ctx, key, body) })
}

// Upload implements Store. Done late, it finds the file as it is then: one
// that was removed meanwhile is not uploaded.
func (f *Fault) Upload(ctx context.Context, key, path string) error {
	return f.call(ctx, OpUpload, key, func(ctx context.Context) error { return f.store.Upload(ctx, key, path) })
}

// Take implements Taker. It goes wrong as an upload does.
func (f *Fault) Take(ctx context.Context, key, path string) error {
	return f.call(ctx, OpUpload, key, func(ctx context.Context) error { return Take(ctx, f.store, key, path) })
}

// Read implements Store.
func (f *Fault) Read(ctx context.Context, key string) ([]byte, error) {
	return answer(ctx, f, OpRead, key, func(ctx context.Context) ([]byte, error) { return f.store.Read(ctx, key) })
}

// ReadRange implements Store.
func (f *Fault) ReadRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	return answer(ctx, f, OpReadRange, key, func(ctx context.Context) ([]byte, error) {
		return f.store.ReadRange(ctx, key, offset, length)
	})
}

// Download implements Store.
func (f *Fault) Download(ctx context.Context, key, path string) error {
	return f.call(ctx, OpDownload, key, func(ctx context.Context) error { return f.store.Download(ctx, key, path) })
}

// List implements Store.
func (f *Fault) List(ctx context.Context, prefix, after string, limit int) ([]Object, error) {
	return answer(ctx, f, OpList, prefix, func(ctx context.Context) ([]Object, error) {
		return f.store.List(ctx, prefix, after, limit)
	})
}

// Delete implements Store.
func (f *Fault) Delete(ctx context.Context, key string) error {
	return f.call(ctx, OpDelete, key, func(ctx context.Context) error { return f.store.Delete(ctx, key) })
}

// URL implements Store.
func (f *Fault) URL(key string) string { return f.store.URL(key) }
