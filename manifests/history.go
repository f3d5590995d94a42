package manifests

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"strandline/internal/log"
)

// Change is one version of a table, as its history tells it.
type Change struct {
	Version Version   `json:"version"`
	At      time.Time `json:"at"`
	Edit
}

// Changes yields a table's versions, newest first, but for those that have
// expired. It reads no more of them than the caller takes, and some. It ends with
// an error, or where the caller stops.
func (t *Table) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if err := t.refresh(ctx); err != nil {
			yield(Change{}, fmt.Errorf("read the manifest log of table %s: %w", t.name, err))
			return
		}
		var newest log.Head
		var oldest Version
		t.follow.View(func(s *State, h log.Head) { newest, oldest = h, s.oldest })
		for e, err := range t.log.Backward(ctx, newest, uint64(oldest)) {
			c := Change{Version: Version(e.Number), At: e.At}
			if err == nil {
				c.Edit, err = decodeEdit(e)
			}
			if err != nil {
				err = fmt.Errorf("read the history of table %s: %w", t.name, err)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func decodeEdit(e log.Entry) (Edit, error) {
	var edit Edit
	if err := json.Unmarshal(e.Body, &edit); err != nil {
		return Edit{}, fmt.Errorf("%w: %v", log.ErrCorrupt, err)
	}
	return edit, nil
}
