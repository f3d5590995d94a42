package miniotest

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// childEnv makes this test binary one that runs only the test that starts a
// server, tells its endpoint, and then ends by itself or waits to be killed.
const childEnv = "STRANDLINE_TEST_CHILD"

func TestMain(m *testing.M) { Main(m) }

func TestServerMakesBuckets(t *testing.T) {
	server := Start(t)
	if one, two := server.Bucket(t), server.Bucket(t); one == two {
		t.Errorf("got bucket %s twice", one)
	}
	if again := Start(t); again != server {
		t.Errorf("got another server %v, want %v", again, server)
	}
}

func TestChild(t *testing.T) {
	end := os.Getenv(childEnv)
	if end == "" {
		t.Skip("runs only as a child of the other tests")
	}
	fmt.Println("endpoint", Start(t).Endpoint)
	if end == "wait" {
		select {}
	}
}

func TestServerEndsWithTheTests(t *testing.T) {
	ownServerOnly(t)
	endpoint, child := startChild(t, "end")
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if answers(endpoint) {
		t.Errorf("%s still answers", endpoint)
	}
}

func TestServerEndsWithKilledTests(t *testing.T) {
	ownServerOnly(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	endpoint, child := startChild(t, "wait")
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed, as it should be
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); answers(endpoint); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s still answers", endpoint)
		}
	}
}

func TestMissingBinarySaysHowToGetIt(t *testing.T) {
	t.Setenv("STRANDLINE_MINIO", "/no/such/minio")
	if _, err := findBinary(); err == nil || !strings.Contains(err.Error(), "run make minio") {
		t.Errorf("got %v", err)
	}
}

func TestServerThatCannotStartSaysWhy(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "minio")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho out of order\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STRANDLINE_MINIO", broken)
	if _, err := launch(Server{}); err == nil || !strings.Contains(err.Error(), "told no address, but: out of order") {
		t.Errorf("got %v", err)
	}
}

func ownServerOnly(t *testing.T) {
	t.Helper()
	if os.Getenv("STRANDLINE_TEST_S3") != "" {
		t.Skip("the server named by STRANDLINE_TEST_S3 is not ours to stop")
	}
}

func startChild(t *testing.T, end string) (endpoint string, child *exec.Cmd) {
	t.Helper()
	child = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childEnv+"="+end, "TMPDIR="+t.TempDir()) // killed tests leave a folder
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	endpoint, ok := strings.CutPrefix(strings.TrimSpace(line), "endpoint ")
	if !ok {
		t.Fatalf("child said %q, %v", line, err)
	}
	if end == "wait" && !answers(endpoint) {
		t.Fatalf("%s does not answer", endpoint)
	}
	return endpoint, child
}

func answers(endpoint string) bool {
	answer, err := http.Get(endpoint + "/minio/health/live")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return true
}
