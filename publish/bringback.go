package publish

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
	"strandline/manifests"
)

// ErrLost says that a result can't be published since one of its files is gone or
// is not what was brought up.
var ErrLost = errors.New("one of its files is lost or damaged, so nothing was changed")

// Release publishes held candidates as manifests.Table.Release does, once it has
// looked that the store holds their files byte for byte; it copies them, one after the
// other, into the existing folder scratch. With ErrLost nothing has changed.
func Release(ctx context.Context, store objstore.Store, table *manifests.Table, scratch string, partitions ...string) (manifests.Version, error) {
	snapshot, err := table.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	for _, partition := range partitions {
		c, held := snapshot.Held(partition)
		if !held {
			continue // the release says so
		}
		fault, err := faultOf(ctx, store, table.Name(), c.Receipt, filepath.Join(scratch, "held"))
		if err != nil {
			return 0, fmt.Errorf("release partition %s of table %s: look at what is held: %w", partition, table.Name(), err)
		}
		if fault == "" {
			continue
		}
		now, err := table.Snapshot(ctx)
		if err != nil {
			return 0, err
		}
		if next, held := now.Held(partition); !held || !slices.Equal(next.Receipt.Files, c.Receipt.Files) {
			return Release(ctx, store, table, scratch, partitions...) // others ended it, and a sweep may have removed its files
		}
		return 0, fmt.Errorf("release partition %s of table %s: %w: %s; strandline drop %s %s forgets it, and strandline backfill %s --from … --to … then makes it again",
			partition, table.Name(), ErrLost, fault, table.Name(), partition, table.Name())
	}
	return table.Release(ctx, partitions...)
}

// Rollback brings back the receipts of an older version, by a new edit, once it
// has looked that the store holds the files that are not published now, each in
// its size. The stream leaves the partitions as they are until their input or code
// moves on. It returns 0 where the table is as that version was. ErrLost: nothing
// has changed; and the errors of manifests.Table.Restore.
func Rollback(ctx context.Context, store objstore.Store, table *manifests.Table, to manifests.Version) (manifests.Version, error) {
	restoration, err := table.Restore(ctx, to)
	if err != nil {
		return 0, err
	}
	fault, err := missing(ctx, store, table.Name(), restoration.Returning())
	switch {
	case err != nil:
		return 0, fmt.Errorf("roll table %s back to version %d: look at its files: %w", table.Name(), to, err)
	case fault == "":
		return restoration.Commit(ctx)
	}
	if _, err := table.Restore(ctx, to); err != nil { // it has expired since, and a sweep may have removed its files
		return 0, err
	}
	return 0, fmt.Errorf("roll table %s back to version %d: %w: %s; restore the file from a copy of the lake, or go back to a version whose files are there (strandline history %s lists versions)",
		table.Name(), to, ErrLost, fault, table.Name())
}

// looks is how many files are looked for at a time.
const looks = 16

// missing says which of the receipts' files is not there in its size, and why: of
// several the first; or "".
func missing(ctx context.Context, store objstore.Store, table string, receipts []manifests.Receipt) (string, error) {
	faults := make([]string, len(receipts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(looks)
	for i, r := range receipts {
		group.Go(func() (err error) {
			for _, file := range r.Files {
				if faults[i], err = sizeFault(ctx, store, manifests.DataKey(table, r.Partition, file.ID), file); faults[i] != "" || err != nil {
					break
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	for _, fault := range faults {
		if fault != "" {
			return fault, nil
		}
	}
	return "", nil
}

func sizeFault(ctx context.Context, store objstore.Store, key string, f manifests.File) (string, error) {
	listed, err := store.List(ctx, key, "", 1)
	switch {
	case err != nil:
		return "", err
	case len(listed) == 0 || listed[0].Key != key:
		return gone(key), nil
	case listed[0].Size != f.Bytes:
		return key + " " + otherSize(listed[0].Size, f), nil
	}
	return "", nil
}
