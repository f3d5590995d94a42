package runner_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

func TestAReleaseLooksAtEveryByteOfAllThatIsHeld(t *testing.T) {
	store := folder(t)
	l := newLake(t, store)
	l.land("a", sale{day(1), "1", "x", 5000}, sale{day(2), "2", "x", 5000})
	l.run(l.task(checked(window.Block)), stream)
	held := l.candidates()
	if len(held) != 2 {
		t.Fatalf("held are %+v", held)
	}
	last := held[1].Receipt
	flip(t, store.(objstore.Local).LocalPath(manifests.DataKey("sales_hourly", last.Partition, last.Files[0].ID)), 200)
	scratch := t.TempDir()
	if _, err := publish.Release(t.Context(), store, l.table, scratch, "2026-03-01", "2026-03-02"); !errors.Is(err, publish.ErrLost) {
		t.Fatalf("got %v, want ErrLost", err)
	}
	if n := len(l.candidates()); n != 2 || len(l.rows()) > 0 {
		t.Fatalf("%d are held and %v published, want all as it was", n, l.rows())
	}
	if _, err := publish.Release(t.Context(), store, l.table, scratch, "2026-03-01"); err != nil {
		t.Fatal(err)
	}
	if _, err := publish.Release(t.Context(), store, l.table, scratch, "2026-03-01"); !errors.Is(err, manifests.ErrNotHeld) {
		t.Fatalf("got %v, want ErrNotHeld", err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v, %v", left, err)
	}
}

// Meanwhile a newer result is published and a sweep removes the files of the one
// that was held: that is no damage.
func TestAReleaseOfWhatOthersEndedIsNoDamage(t *testing.T) {
	inner := folder(t)
	l := newLake(t, inner)
	task := l.task(checked(window.Block))
	l.land("a", sale{day(1), "1", "x", 5000})
	l.run(task, stream)
	r := l.candidates()[0].Receipt
	key := manifests.DataKey("sales_hourly", r.Partition, r.Files[0].ID)
	ended := false
	store := onDownload{inner, func(downloaded string) {
		if downloaded != key || ended {
			return
		}
		ended = true
		if _, err := l.table.Drop(t.Context(), []string{r.Partition}); err != nil {
			t.Error(err)
		}
		if err := inner.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}}
	if _, err := publish.Release(t.Context(), store, l.table, t.TempDir(), r.Partition); !errors.Is(err, manifests.ErrNotHeld) || !ended {
		t.Errorf("got %v, want ErrNotHeld", err)
	}
}

// onDownload is a store in which something happens before each download.
type onDownload struct {
	objstore.Store
	before func(key string)
}

func (s onDownload) Download(ctx context.Context, key, path string) error {
	s.before(key)
	return s.Store.Download(ctx, key, path)
}
