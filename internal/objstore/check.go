package objstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Finding is what Check found out about one property of a store.
type Finding struct {
	Property string
	Err      error // nil: the store has the property
	Took     time.Duration
}

type property struct {
	name  string
	holds func(context.Context, *trial) error
}

// Check tries the properties of a store that Strandline leans on, one after
// the other, with small objects under a prefix of their own, which it removes.
func Check(ctx context.Context, store Store) []Finding {
	properties := []property{
		{"create-if-absent has one winner of 16", checkCreate},
		{"read after write", checkRead},
		{"list after, in order", checkList},
		{"ranged reads", checkRanges},
		{"upload and download", checkUpload},
		{"delete", checkDelete},
	}
	if _, is := store.(*Folder); is {
		properties = append(properties, property{"one file system", checkMounts})
	}
	var findings []Finding
	for _, property := range properties {
		start := time.Now()
		try := &trial{Store: store}
		err := property.holds(ctx, try)
		err = errors.Join(err, clean(ctx, store, try.keys...))
		findings = append(findings, Finding{property.name, err, time.Since(start)})
	}
	return findings
}

// trial is a store that is being tried, and the keys that were used for it.
type trial struct {
	Store
	keys []string
}

func (t *trial) key(name string) string {
	key := freshKey(name)
	t.keys = append(t.keys, key)
	return key
}

func (t *trial) make(ctx context.Context, body []byte) (key string, err error) {
	key = t.key("object")
	return key, t.Create(ctx, key, body)
}

func checkCreate(ctx context.Context, t *trial) error {
	for range 4 {
		if err := raceFor(ctx, t, t.key("race"), 16); err != nil {
			return err
		}
	}
	return nil
}

func checkRead(ctx context.Context, t *trial) error {
	for size := range 3 {
		want := bytes.Repeat([]byte("tide "), size*1000)
		key, err := t.make(ctx, want)
		if err != nil {
			return err
		}
		if err := reads(ctx, t, key, want); err != nil {
			return err
		}
	}
	_, err := t.Read(ctx, t.key("absent"))
	return wants(err, ErrNotFound, "read of a key that was never made")
}

func reads(ctx context.Context, t *trial, key string, want []byte) error {
	got, err := t.Read(ctx, key)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("%s reads as %d other bytes than the %d written", key, len(got), len(want))
	}
	return err
}

func wants(err, want error, what string) error {
	if errors.Is(err, want) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("%s was answered as if it were there", what)
	}
	return fmt.Errorf("%s: want %q, got: %w", what, want, err)
}

func checkList(ctx context.Context, t *trial) error {
	base := t.key("list")
	keys := []string{base + "-1", base + "-2", base + "-2-0", base + "-3"}
	t.keys = append(t.keys, keys...)
	for _, key := range slices.Backward(keys) {
		if err := t.Create(ctx, key, nil); err != nil {
			return err
		}
	}
	for i := range keys {
		want := keys[i+1:]
		if err := lists(ctx, t, base, keys[i], want, len(keys)); err != nil {
			return err
		}
		if err := lists(ctx, t, base, keys[i], want[:min(1, len(want))], 1); err != nil {
			return err
		}
	}
	return lists(ctx, t, base, "", keys, len(keys))
}

func lists(ctx context.Context, t *trial, prefix, after string, want []string, limit int) error {
	found, err := t.List(ctx, prefix, after, limit)
	if err != nil {
		return err
	}
	var got []string
	for _, object := range found {
		got = append(got, object.Key)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("list of at most %d after %q: got %q, want %q", limit, after, got, want)
	}
	return nil
}

func checkRanges(ctx context.Context, t *trial) error {
	body := []byte("0123456789")
	key, err := t.make(ctx, body)
	if err != nil {
		return err
	}
	for _, r := range []struct{ offset, length, end int64 }{{0, 4, 4}, {3, 4, 7}, {9, 1, 10}, {8, 100, 10}} {
		got, err := t.ReadRange(ctx, key, r.offset, r.length)
		if err != nil {
			return err
		}
		if want := body[r.offset:r.end]; !bytes.Equal(got, want) {
			return fmt.Errorf("%d bytes from %d of %q: got %q, want %q", r.length, r.offset, body, got, want)
		}
	}
	return nil
}

func checkUpload(ctx context.Context, t *trial) error {
	dir, err := os.MkdirTemp("", "strandline-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	there, back, want := filepath.Join(dir, "there"), filepath.Join(dir, "back"), bytes.Repeat([]byte("strand"), 200_000)
	if err := os.WriteFile(there, want, 0o600); err != nil {
		return err
	}
	key := t.key("upload")
	if err := t.Upload(ctx, key, there); err != nil {
		return err
	}
	if err := t.Download(ctx, key, back); err != nil {
		return err
	}
	got, err := os.ReadFile(back)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("%s came back as %d other bytes than the %d sent", key, len(got), len(want))
	}
	return err
}

func checkDelete(ctx context.Context, t *trial) error {
	key, err := t.make(ctx, []byte("gone"))
	if err != nil {
		return err
	}
	for range 2 { // removing what is not there is no error
		if err := t.Delete(ctx, key); err != nil {
			return err
		}
	}
	_, err = t.Read(ctx, key)
	if err := wants(err, ErrNotFound, "read of a deleted key"); err != nil {
		return err
	}
	if err := t.Create(ctx, key, []byte("again")); err != nil {
		return err
	}
	return reads(ctx, t, key, []byte("again"))
}
