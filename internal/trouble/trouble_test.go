package trouble

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"strandline/internal/duck"
	"strandline/internal/objstore"
	"strandline/internal/scratch"
)

// The same trouble, met twice, says the same: by the code that draws the names.
func TestTheSameTroubleIsTheSameText(t *testing.T) {
	for name, meet := range map[string]func(dir string) error{
		"scratch": inScratch,
		"engine":  inEngine,
		"a copy":  inCopies,
	} {
		dir := t.TempDir()
		first, second := meet(dir), meet(dir)
		if first == nil || second == nil {
			t.Fatalf("%s: no trouble: %v, %v", name, first, second)
		}
		if Text(first) != Text(second) {
			t.Errorf("%s says\n%s\n%s", name, Text(first), Text(second))
		}
		if first.Error() == second.Error() {
			t.Errorf("%s says the same by itself: %v", name, first)
		}
	}
}

func inScratch(dir string) error {
	d := scratch.Open(dir)
	path, err := d.Sub("held")
	if err != nil {
		return err
	}
	err = os.Mkdir(filepath.Join(path, "a", "b"), 0o700)
	return errors.Join(err, d.Close())
}

// inEngine writes where no file can be made.
func inEngine(dir string) error {
	d := scratch.Open(dir)
	defer d.Close()
	path, err := d.Sub("engine")
	if err != nil {
		return err
	}
	engine, err := duck.Open(context.Background(), duck.Options{Scratch: path})
	if err != nil {
		return err
	}
	defer engine.Close()
	session, err := engine.Session(context.Background())
	if err != nil {
		return err
	}
	defer session.Close()
	return session.Exec(context.Background(), "COPY (SELECT 1) TO "+duck.Literal(filepath.Join(path, "none", "out.parquet"))+" (FORMAT parquet)")
}

func inCopies(dir string) error {
	memory := objstore.NewMemory()
	if err := memory.Create(context.Background(), "a", []byte("x")); err != nil {
		return err
	}
	return memory.Download(context.Background(), "a", filepath.Join(dir, "none", "a"))
}

// What others draw is left out as well, and what tells one trouble from another stays.
func TestWhatIsDrawnIsLeftOutAndTheRestStays(t *testing.T) {
	for text, want := range map[string]string{
		"operation error S3: PutObject, https response error StatusCode: 503, RequestID: 17E0A, HostID: dd90/x=, api error SlowDown: wait": "operation error S3: PutObject, https response error StatusCode: 503, api error SlowDown: wait",
		"read tcp 10.0.0.7:53214->10.0.0.9:9000: connection reset by peer":                                                                 "read tcp 10.0.0.7->10.0.0.9:9000: connection reset by peer",
		"dial tcp [::1]:9000: connection refused":                                                                                          "dial tcp [::1]:9000: connection refused",
		"failed to allocate data of size 32.0 MiB (508.1 MiB/512.0 MiB used): raise the limit":                                             "failed to allocate data of size 32.0 MiB: raise the limit",
		"write /tmp/strandline-ABCDEFGHJKLM2/engine/0a1b/data.parquet: no space left on device":                                            "write /tmp/strandline-*: no space left on device",
		"put tables/sales/data/2026-03-01/0123456789abcdef0123456789abcdef.parquet: no space left on device":                               "put tables/sales/data/2026-03-01/*.parquet: no space left on device",
		"put landing/sales/rejects/0123456789abcdef0123456789abcdef.parquet: no space left on device":                                      "put landing/sales/rejects/*.parquet: no space left on device",
		"rename inbox/.strandline-ABCDEFG2-a.csv out/a.csv: no space left on device":                                                       "rename inbox/.strandline-*-a.csv out/a.csv: no space left on device",
		"could not convert string '0123456789abcdef0123456789abcdef' to INT64":                                                             "could not convert string '0123456789abcdef0123456789abcdef' to INT64",
	} {
		if got := Same(text); got != want {
			t.Errorf("%s\nis %s\nwant %s", text, got, want)
		}
	}
}
