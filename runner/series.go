package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
)

// Reconciliation is what one run of reconcile found, as the lake keeps it:
// tables/<table>/reconcile/<UTC time>-<id>.json, written once.
type Reconciliation struct {
	Format     int                 `json:"format"`
	Table      string              `json:"table"`
	At         time.Time           `json:"at"`
	Version    manifests.Version   `json:"version"` // of the table
	Positions  manifests.Positions `json:"positions"`
	From       *time.Time          `json:"from,omitempty"` // inclusive; nil: everything
	To         *time.Time          `json:"to,omitempty"`   // exclusive
	Partitions int                 `json:"partitions"`
	Stale      int                 `json:"stale"`             // of them, known to be behind
	Failed     int                 `json:"failed"`            // of them, could not be compared
	Expired    int                 `json:"expired,omitempty"` // besides them, left out since raw rows have expired
	Counts
	// Unexplained counts the rows that differ in partitions that are not stale.
	Unexplained int64 `json:"unexplained"`
}

const (
	reconciliationFormat = 1
	seriesPage           = 1000
)

func (t *Task) seriesPrefix() string { return "tables/" + t.table.Name() + "/reconcile/" }

// Keep writes one run's counts into the lake. Of a table that has no log yet, so that nothing was
// compared, there is nothing to keep: counts alone would look as what a lost log leaves behind.
func (t *Task) Keep(ctx context.Context, r Reconciliation) error {
	if r.Version == 0 {
		return nil
	}
	id, err := objstore.FreshID()
	if err != nil {
		return err
	}
	r.Format = reconciliationFormat
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the counts of a reconciliation: %w", err)
	}
	key := t.seriesPrefix() + r.At.UTC().Format("20060102T150405.000000Z") + "-" + id + ".json"
	if err := t.lake.Store.Create(ctx, key, body); err != nil {
		return fmt.Errorf("keep the counts in %s: %w", key, err)
	}
	return nil
}

// Series lists the counts of all runs of reconcile, oldest first.
func (t *Task) Series(ctx context.Context) ([]Reconciliation, error) {
	var out []Reconciliation
	after := ""
	for {
		listed, err := t.lake.Store.List(ctx, t.seriesPrefix(), after, seriesPage)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", t.seriesPrefix(), err)
		}
		for _, object := range listed {
			r, err := t.reconciliation(ctx, object.Key)
			if err != nil {
				return nil, err
			}
			out, after = append(out, r), object.Key
		}
		if len(listed) < seriesPage {
			return out, nil
		}
	}
}

func (t *Task) reconciliation(ctx context.Context, key string) (r Reconciliation, err error) {
	body, err := t.lake.Store.Read(ctx, key)
	if err != nil {
		return r, fmt.Errorf("read %s: %w", key, err)
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return r, fmt.Errorf("read %s: it is no reconciliation: %w", key, err)
	}
	if r.Format != reconciliationFormat {
		return r, fmt.Errorf("%s is of format %d, this program reads %d: use a newer strandline", key, r.Format, reconciliationFormat)
	}
	return r, nil
}
