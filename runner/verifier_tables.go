package runner

import (
	"context"
	"errors"

	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// versionOf is a table at a version.
type versionOf struct {
	table   string
	version int64
}

// tables are those that a job read for the receipt of a partition, by name, at the versions that
// it read. In the place of a version that has expired stands the newest one, if it has the
// same input for the partition: then nothing but the number has changed. Else the error is
// manifests.ErrExpired.
func (d *deriver) tables(ctx context.Context, job window.Job, p window.Partition, r manifests.Receipt) (map[string]*manifests.Snapshot, error) {
	tables := map[string]*manifests.Snapshot{}
	for i, in := range job.Inputs {
		if !in.Table {
			continue
		}
		table, err := d.at(ctx, d.task.inputs[i].Table, r.Positions[in.At()])
		if errors.Is(err, manifests.ErrExpired) {
			table, err = d.unchanged(ctx, job, i, p, r, err)
		}
		if err != nil {
			return nil, err
		}
		tables[in.Name] = table
	}
	return tables, nil
}

// unchanged is the newest version of the table at i, if it has the input that the receipt
// names of a version that has expired.
func (d *deriver) unchanged(ctx context.Context, job window.Job, i int, p window.Partition, r manifests.Receipt, expired error) (*manifests.Snapshot, error) {
	newest := d.task.inputs[i].Table
	table, err := d.at(ctx, newest, int64(newest.Version()))
	if err != nil {
		return nil, err
	}
	in := job.Inputs[i]
	now := job.InputOf(in, d.head(table), p)
	read := landing.Input{Rows: r.InputRows, Digest: r.InputDigest}
	if r.Inputs != nil {
		read = landing.Input(r.Inputs[in.At()])
	}
	if now != read {
		return nil, expired
	}
	return table, nil
}

func (d *deriver) at(ctx context.Context, table *manifests.Table, version int64) (*manifests.Snapshot, error) {
	key := versionOf{table.Name(), version}
	d.mu.Lock()
	known := d.versions[key]
	d.mu.Unlock()
	if known != nil {
		return known, nil
	}
	snapshot, err := table.SnapshotAt(ctx, manifests.Version(version))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.versions[key] = snapshot
	return snapshot, nil
}

// head is that of a table, which is made once for all partitions.
func (d *deriver) head(table *manifests.Snapshot) window.Head {
	d.mu.Lock()
	defer d.mu.Unlock()
	head, known := d.heads[table]
	if !known {
		head = window.TableHead(table, window.Watermark{})
		d.heads[table] = head
	}
	return head
}
