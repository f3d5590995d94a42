package objstore_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"strandline/internal/miniotest"
	"strandline/internal/objstore"
)

// scripted is a server that gives one answer after the other, the last one for
// ever, and counts the requests.
type scripted struct {
	mu      sync.Mutex
	answers []http.HandlerFunc
	asked   int
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	answer := s.answers[min(s.asked, len(s.answers)-1)]
	s.asked++
	s.mu.Unlock()
	answer(w, r)
}

func (s *scripted) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func serveScript(t *testing.T, answers ...http.HandlerFunc) (endpoint string, script *scripted) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	script = &scripted{answers: answers}
	server := httptest.NewServer(script)
	t.Cleanup(server.Close)
	return server.URL, script
}

func openScripted(t *testing.T, answers ...http.HandlerFunc) (*objstore.S3, *scripted) {
	t.Helper()
	endpoint, script := serveScript(t, answers...)
	store, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: "lake", Endpoint: endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return store, script
}

func says(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		if code != "" {
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>told so</Message></Error>", code)
		}
	}
}

var (
	conflict = says(http.StatusConflict, "ConditionalRequestConflict")
	taken    = says(http.StatusPreconditionFailed, "PreconditionFailed")
	fine     = says(http.StatusOK, "")
)

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestCreateAsksAgainWhileAnotherWriterHasTheKey(t *testing.T) {
	store, script := openScripted(t, conflict, conflict, taken)
	if err := store.Create(t.Context(), "k", nil); !errors.Is(err, objstore.ErrExists) || script.requests() != 3 {
		t.Errorf("got %v after %d requests, want ErrExists after 3", err, script.requests())
	}
	store, script = openScripted(t, conflict, fine)
	if err := store.Create(t.Context(), "k", nil); err != nil || script.requests() != 2 {
		t.Errorf("got %v after %d requests, want nil after 2", err, script.requests())
	}
}

// A retry would turn the caller's own success into a loss.
func TestCreateAsksOnceWhenTheOutcomeIsUnknown(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"hang up": hangUp, "500": says(http.StatusInternalServerError, "InternalError"), "503": says(http.StatusServiceUnavailable, "SlowDown"),
	} {
		store, script := openScripted(t, answer, taken)
		err := store.Create(t.Context(), "k", []byte("mine"))
		if err == nil || errors.Is(err, objstore.ErrExists) || script.requests() != 1 {
			t.Errorf("%s: got %v after %d requests, want an unknown outcome after 1", name, err, script.requests())
		}
	}
}

// Whoever is refused by the server knows that nothing was written, and nothing will be.
func TestARefusalByTheServerIsNoUnknownOutcome(t *testing.T) {
	server := miniotest.Start(t)
	bucket := server.Bucket(t)
	create := func(bucket string) error {
		store, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: bucket, Endpoint: server.Endpoint, PathStyle: true})
		if err != nil {
			t.Fatal(err)
		}
		return store.Create(t.Context(), "k", []byte("mine"))
	}
	if err := create("no-such-bucket"); !errors.Is(err, objstore.ErrNotWritten) {
		t.Errorf("without a bucket: got %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	if err := create(bucket); !errors.Is(err, objstore.ErrNotWritten) || !strings.Contains(err.Error(), "credentials are not accepted") {
		t.Errorf("with wrong credentials: got %v", err)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"a timeout of the server": says(http.StatusBadRequest, "RequestTimeout"), "a server that has too much to do": says(http.StatusServiceUnavailable, "SlowDown"),
		"something between that forbids": says(http.StatusForbidden, ""),
	} {
		store, _ := openScripted(t, answer)
		if err := store.Create(t.Context(), "k", nil); err == nil || errors.Is(err, objstore.ErrNotWritten) {
			t.Errorf("%s: got %v, want an unknown outcome", name, err)
		}
	}
}

func TestReadGoesOnAfterAnAnswerBrokeOff(t *testing.T) {
	broken := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		fmt.Fprint(w, "half ")
	}
	whole := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "all of it") }
	store, _ := openScripted(t, broken, whole)
	if got, err := store.Read(t.Context(), "k"); err != nil || string(got) != "all of it" {
		t.Errorf("read: got %q, %v", got, err)
	}
	store, _ = openScripted(t, broken, whole)
	path := filepath.Join(t.TempDir(), "file")
	if err := store.Download(t.Context(), "k", path); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "all of it" {
		t.Errorf("download: got %q, %v", got, err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		want   string
	}{
		{http.StatusNotFound, "NoSuchBucket", "create it"},
		{http.StatusForbidden, "AccessDenied", "access is denied"},
		{http.StatusForbidden, "SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"},
		{http.StatusMovedPermanently, "PermanentRedirect", "s3.region"},
		{http.StatusNotImplemented, "NotImplemented", "If-None-Match"},
	} {
		store, _ := openScripted(t, says(c.status, c.code))
		_, list := store.List(t.Context(), "", "", 1)
		_, read := store.Read(t.Context(), "k")
		for act, err := range map[string]error{"list": list, "read": read, "create": store.Create(t.Context(), "k", nil)} {
			if err == nil || errors.Is(err, objstore.ErrNotFound) ||
				!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `bucket "lake" at http://127.0.0.1`) {
				t.Errorf("%s, %s: got %v, want it to say %q", c.code, act, err, c.want)
			}
		}
	}
}

func TestAbsentBucketIsNotAnEmptyLake(t *testing.T) {
	server := miniotest.Start(t)
	store, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: "no-such-bucket", Endpoint: server.Endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	_, list := store.List(t.Context(), "landing/", "", 1)
	_, read := store.Read(t.Context(), "k")
	_, prove := objstore.Prove(t.Context(), store)
	for act, err := range map[string]error{"list": list, "read": read, "prove": prove} {
		if err == nil || errors.Is(err, objstore.ErrNotFound) || !strings.Contains(err.Error(), "create it") {
			t.Errorf("%s: got %v, want advice to create the bucket", act, err)
		}
	}
}

func TestWrongCredentialsAreNamed(t *testing.T) {
	server := miniotest.Start(t)
	bucket := server.Bucket(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	store, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: bucket, Endpoint: server.Endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.List(t.Context(), "", "", 1); err == nil || !strings.Contains(err.Error(), "credentials are not accepted") {
		t.Errorf("got %v", err)
	}
}

func TestMissingCredentialsAreNamed(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_ROLE_ARN", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	_, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: "lake", Endpoint: "http://127.0.0.1:1"})
	if err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("got %v, want the variables to set", err)
	}
}

func TestUploadRefusesWhatOnePutCannotHold(t *testing.T) {
	store, script := openScripted(t, fine)
	path := filepath.Join(t.TempDir(), "huge")
	writeFile(t, path)
	if err := os.Truncate(path, 5<<30+1); err != nil {
		t.Fatal(err)
	}
	if err := store.Upload(t.Context(), "k", path); err == nil || !strings.Contains(err.Error(), "smaller files") || script.requests() != 0 {
		t.Errorf("got %v after %d requests", err, script.requests())
	}
}

func TestOptionsAreCheckedBeforeUse(t *testing.T) {
	for _, o := range []objstore.S3Options{
		{}, {Bucket: "a/b"}, {Bucket: "a", Prefix: "/x"}, {Bucket: "a", Prefix: "x/"},
		{Bucket: "a", Endpoint: "127.0.0.1:9000"}, {Bucket: "a", Endpoint: "ftp://host"}, {Bucket: "a", Endpoint: "minio"},
	} {
		if _, err := objstore.OpenS3(t.Context(), o); err == nil {
			t.Errorf("%+v: want an error", o)
		}
	}
}

func TestURLIsAnS3Address(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	store, err := objstore.OpenS3(t.Context(), objstore.S3Options{Bucket: "b", Prefix: "p/q", Endpoint: "http://127.0.0.1:1"})
	if err != nil || store.URL("a/b") != "s3://b/p/q/a/b" {
		t.Errorf("got %s, %v", store.URL("a/b"), err)
	}
}
