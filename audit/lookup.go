package audit

import (
	"context"
	"errors"
	"strings"

	"strandline/internal/digest"
	"strandline/internal/lookup"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/window"
)

// lookups looks for the contents of lookups that the table's results were computed with.
func (r *run) lookups(ctx context.Context, room Room, table *manifests.Snapshot) error {
	partitions := map[digest.Hash][]string{} // by content
	for _, receipt := range results(table) {
		code, _ := table.Code(receipt.Fingerprint)
		for _, part := range code.Parts {
			content, err := digest.ParseHash(part.Value)
			if strings.HasPrefix(part.Name, window.PartLookup) && err == nil {
				partitions[content] = append(partitions[content], receipt.Partition)
			}
		}
	}
	for content, names := range partitions {
		if err := r.lookup(ctx, room, content, names); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) lookup(ctx context.Context, room Room, content digest.Hash, partitions []string) error {
	name := DamagedLookup
	_, err := lookup.Kept(ctx, r.Store, content)
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, objstore.ErrNotFound):
		name = MissingLookup
	case !errors.Is(err, lookup.ErrDamaged):
		name = unreadable
	}
	r.tell(Fault{Name: name, Room: room, Key: lookup.Key(content), Seen: err.Error(), Partitions: partitions})
	return nil
}
