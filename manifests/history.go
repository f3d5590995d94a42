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

// History lists a table's versions, oldest first.
func (t *Table) History(ctx context.Context) ([]Change, error) {
	var changes []Change
	_, err := t.fold(ctx, func(e log.Entry, edit Edit) error {
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
