package publish

import (
	"context"
	"errors"
	"fmt"
	"os"

	"strandline/internal/digest"
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
	for _, file := range r.Files {
		key := manifests.DataKey(p.Table.Name(), r.Partition, file.ID)
		err := p.Store.Download(ctx, key, copyTo)
		if errors.Is(err, objstore.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("look at published partition %s: %w", r.Partition, err)
		}
		found, err := digest.OfFile(copyTo)
		if err = errors.Join(err, os.Remove(copyTo)); err != nil || found != file.Digest {
			return false, err
		}
	}
	return true, nil
}

// Abandon takes back the files of results that were refused for good.
func (p *Publisher) Abandon(ctx context.Context, sealed []Sealed) {
	for _, s := range sealed {
		if !s.Unchanged { // else the files are those of the receipt that stands
			p.takeBack(ctx, s.Receipt.Partition, s.Receipt.Files)
		}
	}
}

// takeBack deletes files that no edit names and none will, so an error leaves
// only unreferenced files.
func (p *Publisher) takeBack(ctx context.Context, partition string, files []manifests.File) {
	for _, file := range files {
		_ = p.Store.Delete(ctx, manifests.DataKey(p.Table.Name(), partition, file.ID))
	}
}
