package main

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"strandline/internal/digest"
	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// inHand is what workers of requests, of this process and of others, compute now or soon, as the
// log of requests has it. It is safe for concurrent use.
type inHand struct {
	lake *lake
	code map[string]digest.Hash // by job, as this process has it
	now  func() time.Time

	mu     sync.Mutex
	looked time.Time
	slices map[plans.ID][]int
	inputs map[partitionOf][]digest.Hash // by what each is computed from
}

type partitionOf struct{ job, partition string }

func newInHand(l *lake, tasks []*runner.Task, now func() time.Time) *inHand {
	h := &inHand{lake: l, code: map[string]digest.Hash{}, now: now}
	for _, t := range tasks {
		h.code[t.Job().Name] = t.Fingerprint()
	}
	return h
}

// lookInHand is how often it looks at the log, at most.
const lookInHand = time.Second

// has tells whether a worker computes a partition from just this input, or will soon. Where that
// can't be told nobody does.
func (h *inHand) has(ctx context.Context, job string, s window.Status) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now().Sub(h.looked) >= lookInHand {
		h.look(ctx)
		h.looked = h.now()
	}
	return slices.Contains(h.inputs[partitionOf{job, s.String()}], s.Input.Digest)
}

// look reads the log, and the plans of requests that have others in hand than before.
func (h *inHand) look(ctx context.Context) {
	if h.lake.requests.Refresh(ctx) != nil {
		h.slices, h.inputs = nil, nil
		return
	}
	cut, now := map[plans.ID]int{}, map[plans.ID][]int{}
	h.lake.requests.View(func(s *requests.State) {
		for _, r := range s.Requests() {
			if has := r.InHand(); len(has) > 0 && h.code[r.Job] == r.Fingerprint {
				cut[r.Plan], now[r.Plan] = r.Slices, has
			}
		}
	})
	if maps.EqualFunc(now, h.slices, slices.Equal) {
		return
	}
	h.slices, h.inputs = now, map[partitionOf][]digest.Hash{}
	for plan, of := range cut {
		h.add(ctx, plan, of)
	}
}

// add takes in the slices of one plan. One that can't be read its workers will tell of.
func (h *inHand) add(ctx context.Context, plan plans.ID, of int) {
	file, err := h.lake.plans.read(ctx, plan)
	if err != nil {
		return
	}
	for _, slice := range h.slices[plan] {
		tasks, err := file.Slice(slice, of)
		if err != nil {
			return
		}
		for _, task := range tasks {
			at := partitionOf{file.Job, task.Partition}
			h.inputs[at] = append(h.inputs[at], task.Digest)
		}
	}
}
