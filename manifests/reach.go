package manifests

import (
	"context"
	"fmt"

	"strandline/internal/log"
)

// Reach is the set of the files that a table's versions name, from one of them on
// up to the newest that was read. It is used by one goroutine.
type Reach struct {
	from      Version
	head      log.Head
	files     map[string]bool
	condemned map[string]bool // when it was first read
}

// Names tells whether one of the versions names the file.
func (r *Reach) Names(id string) bool { return r.files[id] }

// Condemned tells whether a sweep had condemned the file when the reach was made.
func (r *Reach) Condemned(id string) bool { return r.condemned[id] }

// Version is the newest version that was read.
func (r *Reach) Version() Version { return Version(r.head.Number) }

// Reach reads which files the versions from one on name, results that were held or
// dropped meanwhile included. From 0 or 1 it is all that were ever named.
func (t *Table) Reach(ctx context.Context, from Version) (*Reach, error) {
	if err := t.refresh(ctx); err != nil {
		return nil, fmt.Errorf("read the manifest log of table %s: %w", t.name, err)
	}
	state, head, err := t.stateAt(ctx, from)
	if err != nil {
		return nil, err
	}
	r := &Reach{from: from, head: head, files: map[string]bool{}}
	for receipt := range state.partitions.all() {
		receipt.yieldFiles(r.add)
	}
	for _, c := range state.held {
		c.Receipt.yieldFiles(r.add)
	}
	t.follow.View(func(s *State, _ log.Head) { r.condemned = s.condemned.Files() })
	return r, r.extend(ctx, t)
}

func (r *Reach) add(id string) bool {
	r.files[id] = true
	return true
}

// extend adds what was named since.
func (r *Reach) extend(ctx context.Context, t *Table) (err error) {
	r.head, err = t.readOn(ctx, r.head, func(_ log.Entry, edit Edit) error {
		for id := range edit.named() {
			r.add(id)
		}
		return nil
	})
	return err
}
