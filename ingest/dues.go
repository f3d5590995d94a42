package ingest

import (
	"container/heap"
	"time"
)

// due says that a file is to be acted on at a time.
type due struct {
	path string
	at   time.Time
}

// dues are a heap with the earliest first, so that 100,000 files that wait cost
// nothing at each event.
type dues []due

func (d *dues) push(path string, at time.Time) { heap.Push((*dueHeap)(d), due{path, at}) }

func (d *dues) pop() due { return heap.Pop((*dueHeap)(d)).(due) }

// dueHeap is what package heap wants of dues.
type dueHeap []due

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(due)) }

func (h *dueHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
