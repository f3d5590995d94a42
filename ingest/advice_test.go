package ingest

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Who waits at a file can wait; who pipes, or puts an object, has to do it again.
func TestWhatToDoAboutACutSourceDependsOnHowItCame(t *testing.T) {
	cut := gzipped(readFile(t, "../testdata/quakes.ndjson"))[:5000]
	damaged := bytes.Clone(cut)
	damaged[20] ^= 0xff
	path, dir := "a.gz", t.TempDir()
	for name, c := range map[string]struct {
		land         func(content []byte) error
		cut, damaged string
	}{
		"a file": {func(content []byte) error {
			_, err := LandFile(t.Context(), openStream(t, quakeSpec()), writeFile(t, dir, path, content), path, Options{})
			return err
		}, "wait until it is complete", "copy it again"},
		"files together": {func(content []byte) (err error) {
			files := []File{{Path: writeFile(t, dir, path, content), Name: path}}
			LandFiles(t.Context(), openStream(t, quakeSpec()), files, Options{}, func(_ int, _ Outcome, e error) { err = e })
			return err
		}, "wait until it is complete", "copy it again"},
		"standard input": {func(content []byte) error {
			_, err := LandReader(t.Context(), openStream(t, quakeSpec()), bytes.NewReader(content), "stdin", Options{})
			return err
		}, "send it again, whole", "send it again"},
		"an object": {func(content []byte) error {
			_, err := LandVersion(t.Context(), openStream(t, quakeSpec()), bytes.NewReader(content), "s3://b/a.gz", "1", Options{})
			return err
		}, "put it again, whole", "put it again"},
	} {
		err := c.land(cut)
		if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), c.cut) || strings.Contains(err.Error(), "wait") != strings.Contains(name, "file") {
			t.Errorf("%s that is cut: %v", name, err)
		}
		if err := c.land(damaged); !errors.Is(err, ErrCorrupt) || !strings.HasSuffix(err.Error(), c.damaged) {
			t.Errorf("%s that is damaged: %v", name, err)
		}
	}
}
