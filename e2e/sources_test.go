package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/miniotest"
)

// Two processes, killed at random, take in one folder and one prefix of a bucket. Each
// arrival lands once, what came by the folder is deleted, and no file goes that has not
// landed: not one that takes the name of another meanwhile either.
func TestProcessesUnderKillsTakeInEachFileAndObjectOnce(t *testing.T) {
	lines := quakeLines(t)
	server := miniotest.Start(t)
	for seed := range (seeds(t) + 19) / 20 { // one of them is as good as many of other tests
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			bucket := server.Bucket(t)
			w := newWorld(t, "lake: ./lake\n", uint64(seed))
			w.sources(fmt.Sprintf(`dir: {path: ./inbox, settle: 20ms, after_landing: delete}
    s3: {url: s3://%s/raw, endpoint: %q, region: %s, every: 1s}`, bucket, server.Endpoint, miniotest.Region))
			files, rows := w.arrivals(lines, 15)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var group errgroup.Group
			for i := range uint64(2) {
				random := rand.New(rand.NewPCG(uint64(seed), 3+i))
				group.Go(func() error { return w.follow(ctx, 1500*time.Millisecond, random) })
			}
			for i, file := range files {
				if i%3 == 0 {
					w.putUp(server, bucket, file, fmt.Sprintf("raw/%d.ndjson", i%2)) // over one that may not have been read
					w.untilLanded(i + 1)
				} else {
					w.dropAs(file, fmt.Sprintf("%d.ndjson", i%5))
				}
			}
			w.untilLanded(len(files))
			w.untilEmpty("inbox")
			stop()
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
			w.run("run", "--once")
			compare(t, w.published(), straight(t, lines))
			w.positionsAreDense(rows)
		})
	}
}

// A lake that landed its own files would grow for ever.
func TestTheLakesOwnBucketIsNoSourceWhateverItsServerIsCalled(t *testing.T) {
	server := miniotest.Start(t)
	bucket := server.Bucket(t)
	called := strings.Replace(server.Endpoint, "127.0.0.1", "localhost", 1)
	w := newWorld(t, fmt.Sprintf("lake: s3://%s/lake\ns3: {endpoint: %q, region: %s, path_style: true}\n", bucket, server.Endpoint, miniotest.Region), 1)
	w.sources(fmt.Sprintf("s3: {url: s3://%s/, endpoint: %q, region: %s, path_style: true}", bucket, called, miniotest.Region))
	for _, args := range [][]string{{"land", "quakes"}, {"run"}, {"land", "quakes", "s3://" + bucket + "/"}} {
		if _, err := w.try(args...); err == nil || !strings.Contains(err.Error(), "the lake is there") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// sources has the stream of the world's configuration read other sources.
func (w *world) sources(yaml string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "strandline.yaml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(text), "dir: {path: ./inbox, settle: 20ms}", yaml, 1)), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// putUp puts a file up as an object.
func (w *world) putUp(server miniotest.Server, bucket, file, key string) {
	w.t.Helper()
	body, err := os.ReadFile(filepath.Join(w.dir, file))
	if err != nil {
		w.t.Fatal(err)
	}
	server.Put(w.t, bucket, key, body)
}

// dropAs moves a file into the watched folder as soon as the name is free, as a writer
// must that may not overwrite what nobody has read.
func (w *world) dropAs(file, name string) {
	w.t.Helper()
	to := filepath.Join(w.dir, "inbox", name)
	deadline := time.Now().Add(time.Minute)
	for os.Link(filepath.Join(w.dir, file), to) != nil {
		w.status() // takes a while
		if time.Now().After(deadline) {
			w.t.Fatalf("after a minute %s is still there", to)
		}
	}
	if err := os.Remove(filepath.Join(w.dir, file)); err != nil {
		w.t.Fatal(err)
	}
}

// untilEmpty waits for a folder to hold nothing, hidden or not.
func (w *world) untilEmpty(dir string) {
	w.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		entries, err := os.ReadDir(filepath.Join(w.dir, dir))
		if err != nil {
			w.t.Fatal(err)
		}
		if len(entries) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("after a minute %s holds %v", dir, entries)
		}
		w.status() // takes a while
	}
}

// What a stream declares is taken in once by land, as run takes it in.
func TestLandWithoutFilesTakesInWhatTheSourcesHoldNow(t *testing.T) {
	lines := quakeLines(t)
	server := miniotest.Start(t)
	bucket := server.Bucket(t)
	w := newWorld(t, "lake: ./lake\n", 1)
	w.sources(fmt.Sprintf(`dir: {path: ./inbox, settle: 20ms, after_landing: {move: ./inbox/done}}
    s3: {url: s3://%s/raw, endpoint: %q, region: %s}`, bucket, server.Endpoint, miniotest.Region))
	files, rows := w.arrivals(lines, 4)
	w.putUp(server, bucket, files[0], "raw/a.ndjson")
	w.putUp(server, bucket, files[1], "beside/b.ndjson")
	w.dropAs(files[2], "c.ndjson")
	out := w.run("land", "quakes")
	for _, name := range []string{"s3://" + bucket + "/raw/a.ndjson", "c.ndjson"} {
		if !strings.Contains(out, name+": landed ") {
			t.Errorf("%s is not told to have landed:\n%s", name, out)
		}
	}
	if out := w.run("land", "quakes"); out != "" {
		t.Errorf("nothing was new, and it said %s", out)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "inbox", "done", "c.ndjson")); err != nil {
		t.Error(err)
	}
	if out := w.run("land", "quakes", "s3://"+bucket+"/beside/b.ndjson", files[3]); !strings.Contains(out, "b.ndjson: landed ") {
		t.Errorf("the object is not told to have landed:\n%s", out)
	}
	if out := w.run("land", "quakes", "s3://"+bucket+"/beside/", "--json"); out != "" {
		t.Errorf("the prefix has nothing new, and it said %s", out)
	}
	w.positionsAreDense(rows)
	for address, want := range map[string]string{
		"s3://" + bucket + "/beside": "with a slash at its end", "inbox": "it is a folder", "s3://" + bucket + "/raw/none": "object not found",
	} {
		if _, err := w.try("land", "quakes", address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("land %s: got %v, want it to say %q", address, err, want)
		}
	}
}
