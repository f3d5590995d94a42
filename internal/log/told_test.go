package log

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// Whatever of a log is lost or damaged when it is opened, what helps is said, and once; and what can't be read is
// not called lost.
func TestWhatHelpsIsSaidOnceOfALogThatCantBeOpened(t *testing.T) {
	newest, record := "t/log/00000000000000000057.json", "t/trims/00000000000000000001.json"
	for name, c := range map[string]struct {
		damage func(store Store) error
		says   string
	}{
		"its entries are lost": {func(store Store) error {
			return each(store, "t/log/", func(key string) error { return store.Delete(t.Context(), key) })
		}, "was made at an entry that is not there: "},
		"its entries are others": {func(store Store) error {
			return each(store, "t/log/", func(key string) error { return spoil(store, key) })
		}, "was made at another entry than is there: "},
		"the newest is damaged":             {func(store Store) error { return spoil(store, newest) }, newest},
		"the record of its trim is damaged": {func(store Store) error { return spoil(store, record) }, record},
	} {
		store := objstore.NewMemory()
		grow(t, store, 57)
		trim(t, store, atOnce)
		if err := c.damage(store); err != nil {
			t.Fatal(err)
		}
		err := followShort(store).Refresh(t.Context())
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.says) || strings.Count(err.Error(), "strandline check-lake tells all") != 1 {
			t.Errorf("%s: got %v, want %q and once what helps", name, err, c.says)
		}
	}
	store := objstore.NewMemory()
	grow(t, store, 57)
	err := followShort(closed{store}).Refresh(t.Context())
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "look at the entry that t/checkpoints/") || strings.Contains(err.Error(), "not there") {
		t.Errorf("of an entry that may not be read: got %v", err)
	}
}

// closed is a store whose entries may not be read.
type closed struct{ Store }

func (s closed) Read(ctx context.Context, key string) ([]byte, error) {
	if strings.HasPrefix(key, "t/log/") {
		return nil, fs.ErrPermission
	}
	return s.Store.Read(ctx, key)
}

func each(store Store, prefix string, do func(key string) error) error {
	found, err := store.List(context.Background(), prefix, "", pageSize)
	for _, object := range found {
		err = errors.Join(err, do(object.Key))
	}
	return err
}

func spoil(store Store, key string) error {
	return errors.Join(store.Delete(context.Background(), key), store.Create(context.Background(), key, []byte("{}")))
}
