package objstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strandline/internal/miniotest"
	"strandline/internal/objstore"
)

func openBucket(t *testing.T) (miniotest.Server, string, *objstore.Bucket) {
	t.Helper()
	server := miniotest.Start(t)
	name := server.Bucket(t)
	bucket, err := objstore.OpenBucket(t.Context(), objstore.S3Options{Bucket: name, Endpoint: server.Endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return server, name, bucket
}

// Two names of a server are two texts and one bucket.
func TestABucketIsKnownByWhatTheLakeWritesWhateverItsServerIsCalled(t *testing.T) {
	server := miniotest.Start(t)
	lakes, other := server.Bucket(t), server.Bucket(t)
	lake, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: lakes, Prefix: "lake", Endpoint: server.Endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	called := strings.Replace(server.Endpoint, "127.0.0.1", "localhost", 1)
	if called == server.Endpoint {
		t.Skipf("the server at %s has one name", server.Endpoint)
	}
	for name, want := range map[string]bool{lakes: true, other: false} {
		bucket, err := objstore.OpenBucket(t.Context(), objstore.S3Options{Bucket: name, Endpoint: called, PathStyle: true})
		if err != nil {
			t.Fatal(err)
		}
		if holds, err := bucket.Holds(t.Context(), lake); err != nil || holds != want {
			t.Errorf("%s holds what the lake writes: %v, %v, want %v", name, holds, err, want)
		}
		if left, err := bucket.Page(t.Context(), "", "", 10); err != nil || len(left) > 0 {
			t.Errorf("%s has %v left (%v)", name, left, err)
		}
	}
}

// Keys of others are none that a lake would use.
func TestBucketListsWhateverKeysOthersMade(t *testing.T) {
	server, name, bucket := openBucket(t)
	keys := []string{"in/.hidden", "in/a b+c%2F", "in/a/", "in/a/b", "in/a-b", "in/snow ☃", "in/tab\there", "in/é", "out"}
	for _, key := range keys {
		server.Put(t, name, key, []byte(key))
	}
	server.Begin(t, name, "in/unfinished", make([]byte, 100))
	slices.Sort(keys)
	var got []string
	for after := ""; ; after = got[len(got)-1] {
		page, err := bucket.Page(t.Context(), "in/", after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page {
			got = append(got, v.Key)
			if v.Size != int64(len(v.Key)) && v.Key != "in/a/" {
				t.Errorf("%q has %d bytes, want %d", v.Key, v.Size, len(v.Key))
			}
		}
		if len(page) < 2 {
			break
		}
	}
	if want := keys[:len(keys)-1]; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

func TestBucketReadsTheVersionThatWasListedOrNothing(t *testing.T) {
	server, name, bucket := openBucket(t)
	server.Put(t, name, "a", []byte("first"))
	first, err := bucket.Look(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readVersion(t, bucket, first); err != nil || string(got) != "first" {
		t.Errorf("read %q, %v", got, err)
	}
	server.Put(t, name, "a", []byte("other"))
	if _, err := readVersion(t, bucket, first); !errors.Is(err, objstore.ErrReplaced) {
		t.Errorf("a replaced object: got %v, want ErrReplaced", err)
	}
	server.Delete(t, name, "a")
	if _, err := readVersion(t, bucket, first); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("a deleted object: got %v, want ErrNotFound", err)
	}
	if _, err := bucket.Look(t.Context(), "a"); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("look for a deleted object: got %v, want ErrNotFound", err)
	}
}

func readVersion(t *testing.T, bucket *objstore.Bucket, v objstore.Version) ([]byte, error) {
	t.Helper()
	r, err := bucket.Open(t.Context(), v)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Every answer breaks off somewhere, the object is read once all the same, and
// each request asks for the version that the first one read.
func TestBrokenAnswersAreTakenUpWhereTheyBroke(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 5000)
	breaksOff := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-Match") != `"v1"` {
			t.Errorf("asked for version %s", r.Header.Get("If-Match"))
		}
		from := 0
		if text, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
			from, _ = strconv.Atoi(strings.TrimSuffix(text, "-"))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
		}
		rest := content[from:]
		w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
		_, _ = w.Write(rest[:min(20_000, len(rest))])
		if len(rest) > 20_000 {
			panic(http.ErrAbortHandler)
		}
	}
	bucket, script := openScriptedBucket(t, breaksOff)
	got, err := readVersion(t, bucket, objstore.Version{Key: "a", ETag: `"v1"`, Size: int64(len(content))})
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, %v; want the %d of the object", len(got), err, len(content))
	}
	if script.requests() < 3 {
		t.Errorf("%d requests, want one for each part", script.requests())
	}
}

func TestObjectThatIsReplacedWhileItIsReadIsNotReadOn(t *testing.T) {
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write(make([]byte, 50))
		panic(http.ErrAbortHandler)
	}
	bucket, _ := openScriptedBucket(t, half, taken)
	if _, err := readVersion(t, bucket, objstore.Version{Key: "a", ETag: `"v1"`, Size: 100}); !errors.Is(err, objstore.ErrReplaced) {
		t.Errorf("got %v, want ErrReplaced", err)
	}
}

func openScriptedBucket(t *testing.T, answers ...http.HandlerFunc) (*objstore.Bucket, *scripted) {
	t.Helper()
	endpoint, script := serveScript(t, answers...)
	bucket, err := objstore.OpenBucket(t.Context(), objstore.S3Options{Bucket: "raw", Endpoint: endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return bucket, script
}
