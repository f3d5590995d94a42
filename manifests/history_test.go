package manifests

import (
	"context"
	"slices"
)

// history lists a table's versions that have not expired, oldest first.
func history(ctx context.Context, t *Table) ([]Change, error) {
	var changes []Change
	for c, err := range t.Changes(ctx) {
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	slices.Reverse(changes)
	return changes, nil
}

// rollback brings an older version back, and looks at no file.
func rollback(ctx context.Context, t *Table, to Version) (Version, error) {
	r, err := t.Restore(ctx, to)
	if err != nil {
		return 0, err
	}
	return r.Commit(ctx)
}
