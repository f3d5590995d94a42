package runner

import (
	"context"
	"sync"
	"time"

	"strandline/internal/digest"
	"strandline/window"
)

const (
	// maxTogether is of how many partitions a trigger is at most, so that they are published by
	// one edit. More are a backlog.
	maxTogether = 50
	// maxStep is how many partitions of a backlog are computed until it is planned anew, so that
	// what lands meanwhile does not wait for all of it.
	maxStep = 200
	// leaveFor is how long a partition is left to the worker that has it in hand: as long as
	// nobody else takes it from one that has died.
	leaveFor = 30 * time.Second
)

// backlog is what a job is behind with, such as a long history. What lands meanwhile goes
// before it, as a trigger of its own. It is published as it is ready, and what workers of requests
// have in hand of it is left to them for a while. It is safe for concurrent use.
type backlog struct {
	inHand func(context.Context, window.Status) bool // nil: nobody else has anything
	now    func() time.Time

	inputs map[string]digest.Hash // by partition, what it is to be computed from

	mu   sync.Mutex
	left map[string]time.Time // since when what is in hand elsewhere is left there
}

// trigger is what is done at once of all that is to be done.
type trigger struct {
	tasks    []window.Status
	together bool // published by one edit
	more     bool // something is left, for the next or to others
}

// next takes what is to be done next of all tasks, the newest of which come first.
func (b *backlog) next(ctx context.Context, tasks []window.Status) trigger {
	fresh := b.since(tasks)
	if len(fresh) > maxTogether {
		b.begin(tasks)
		fresh = nil
	}
	if len(fresh) > 0 {
		return trigger{fresh, true, len(fresh) < len(tasks)}
	}
	var step []window.Status
	for _, s := range tasks {
		if len(step) < maxStep && !b.leaves(ctx, s) {
			step = append(step, s)
		}
	}
	return trigger{step, false, len(step) < len(tasks)}
}

// since are the tasks that are not of the backlog: their partitions were not to be computed
// when it began, or from other rows.
func (b *backlog) since(tasks []window.Status) (fresh []window.Status) {
	for _, s := range tasks {
		if input, behind := b.inputs[s.String()]; !behind || input != s.Input.Digest {
			fresh = append(fresh, s)
		}
	}
	if len(fresh) == len(tasks) {
		b.begin(nil)
	}
	return fresh
}

// begin makes the tasks the backlog. What was of the one before, and is to be computed from the
// same rows still, has been left to others since when it was.
func (b *backlog) begin(tasks []window.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	inputs, left := make(map[string]digest.Hash, len(tasks)), map[string]time.Time{}
	for _, s := range tasks {
		name := s.String()
		inputs[name] = s.Input.Digest
		if since, is := b.left[name]; is && b.inputs[name] == s.Input.Digest {
			left[name] = since
		}
	}
	b.inputs, b.left = inputs, left
}

// leaves tells whether a partition of the backlog is left to who has it in hand. That is so for
// leaveFor at most, however often it changes hands.
func (b *backlog) leaves(ctx context.Context, s window.Status) bool {
	if b.inHand == nil || !b.inHand(ctx, s) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	since, before := b.left[s.String()]
	if !before {
		since = b.now()
		b.left[s.String()] = since
	}
	return b.now().Sub(since) < leaveFor
}
