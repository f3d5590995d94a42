package runner

import (
	"context"
	"time"
)

// graceToCommit is how long results that were ready when a run was told to end may take
// to be published, or to be taken back.
const graceToCommit = 5 * time.Second

// outliving returns a context that ends a while after its parent. end ends it, and must be
// called.
func outliving(parent context.Context, grace time.Duration) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		time.AfterFunc(grace, func() { cancel(context.Cause(parent)) })
	})
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
