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
