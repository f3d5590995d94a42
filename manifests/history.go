package manifests

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"strandline/internal/log"
)

// Change is one version of a table, as its history tells it.
type Change struct {
	Version Version   `json:"version"`
	At      time.Time `json:"at"`
	Edit
}

// History lists a table's versions, oldest first, but for those that have
// expired.
func (t *Table) History(ctx context.Context) ([]Change, error) {
	snapshot, err := t.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	var changes []Change
	_, err = t.readOn(ctx, log.Head{}, func(e log.Entry, edit Edit) error {
		if Version(e.Number) < snapshot.Oldest {
			return nil
		}
		changes = append(changes, Change{Version: Version(e.Number), At: e.At, Edit: edit})
		return nil
	})
	return changes, err
}

func decodeEdit(e log.Entry) (Edit, error) {
	var edit Edit
	if err := json.Unmarshal(e.Body, &edit); err != nil {
		return Edit{}, fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	return edit, nil
}

// Written tells when each version from first on was written, by the store's clock.
func (t *Table) Written(ctx context.Context, first Version) ([]time.Time, error) {
	return t.log.Written(ctx, uint64(first))
}
