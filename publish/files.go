package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"strandline/internal/objstore"
	"strandline/manifests"
)

// bringUp stores a result's files, each under a name of its own, in the order
// of the key. The only file of an empty result stays here. After an error none
// is left but what the store can't be told to delete.
func (p *Publisher) bringUp(ctx context.Context, partition string, contents []content) ([]manifests.File, error) {
	var files []manifests.File
	for _, c := range contents {
		if c.Rows == 0 {
			continue
		}
		id, err := objstore.FreshID()
		if err == nil {
			err = p.Store.Upload(ctx, manifests.DataKey(p.Table.Name(), partition, id), c.path)
		}
		if err != nil {
			p.takeBack(ctx, partition, files)
			return nil, fmt.Errorf("bring up partition %s: %w", partition, err)
		}
		files = append(files, manifests.File{ID: id, Rows: c.Rows, Bytes: c.Bytes, Digest: c.FileDigest})
	}
	return files, nil
}

// intact tells whether the store still holds a receipt's files, byte for byte.
// It copies them to the path copyTo, one after the other.
func (p *Publisher) intact(ctx context.Context, r manifests.Receipt, copyTo string) (bool, error) {
	fault, err := faultOf(ctx, p.Store, p.Table.Name(), r, copyTo)
	if err != nil {
		return false, fmt.Errorf("look at published partition %s: %w", r.Partition, err)
	}
	return fault == "", nil
}

// faultOf says which of a receipt's files the store does not hold byte for byte,
// and why, or "". It copies them to the path copyTo, one after the other.
func faultOf(ctx context.Context, store objstore.Store, table string, r manifests.Receipt, copyTo string) (fault string, err error) {
	for _, file := range r.Files {
		key := manifests.DataKey(table, r.Partition, file.ID)
		err := store.Download(ctx, key, copyTo)
		if errors.Is(err, objstore.ErrNotFound) {
			return gone(key), nil
		}
		if err != nil {
			return "", err
		}
		fault, err := OtherBytes(copyTo, file)
		if err = errors.Join(err, os.Remove(copyTo)); err != nil {
			return "", err
		}
		if fault != "" {
			return key + " " + fault, nil
		}
	}
	return "", nil
}

func gone(key string) string { return key + " is gone" }

// Abandon takes back the files of results that were refused for good.
func (p *Publisher) Abandon(ctx context.Context, sealed []Sealed) {
	for _, s := range sealed {
		if !s.Unchanged { // else the files are those of the receipt that stands
			p.takeBack(ctx, s.Receipt.Partition, s.Receipt.Files)
		}
	}
}

// takeBack deletes files that no edit names and none will, also where ctx has ended, so
// an error leaves only unreferenced files.
func (p *Publisher) takeBack(ctx context.Context, partition string, files []manifests.File) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToTakeBack)
	defer cancel()
	for _, file := range files {
		_ = p.Store.Delete(ctx, manifests.DataKey(p.Table.Name(), partition, file.ID))
	}
}

// timeToTakeBack is how long deleting may take. What is left then is a sweep's to remove.
const timeToTakeBack = 2 * time.Second
