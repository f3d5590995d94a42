package manifests

import (
	"context"

	"strandline/internal/log"
)

// Reach is the set of the files that a table's versions name, from one of them on
// up to the newest that was read. It is used by one goroutine.
type Reach struct {
	from  Version
	head  log.Head
	files map[string]bool
}

// Has tells whether one of the versions names the file.
func (r *Reach) Has(id string) bool { return r.files[id] }

// Version is the newest version that was read.
func (r *Reach) Version() Version { return Version(r.head.Number) }

// Reach reads which files the versions from one on name, results that were held or
// dropped meanwhile included. From 0 or 1 it is all that were ever named.
func (t *Table) Reach(ctx context.Context, from Version) (*Reach, error) {
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
