// Package miniotest gives tests a real S3 server: MinIO as a process of its
// own, on a free loopback port with a fresh folder, one for a test binary.
//
// A package that uses it hands its TestMain over, so that the server is
// stopped when its tests end:
//
//	func TestMain(m *testing.M) { miniotest.Main(m) }
//
// STRANDLINE_TEST_S3 names the endpoint of another server to use instead, with
// credentials from the AWS environment. STRANDLINE_MINIO names another binary
// than bin/minio of this module.
package miniotest

import (
	"os"
	"sync"
	"testing"
)

// Server is a running S3 server. It wants path-style addresses.
type Server struct {
	Endpoint  string // http://host:port
	AccessKey string
	SecretKey string

	outlivesTests bool // so what the tests leave behind would stay
}

// Region is the region of every Server.
const Region = "us-east-1"

// The credentials of servers that are processes of the test binary.
const (
	accessKey = "strandline"
	secretKey = "strandline-tests"
)

// shared is the one server of this test binary.
var shared struct {
	sync.Mutex
	entrusted bool // Main runs, so somebody will stop the process
	process   *process
	server    Server
	err       error
}

// Main runs the tests and stops the server, if one of them started it.
func Main(m *testing.M) {
	shared.Lock()
	shared.entrusted = true
	shared.Unlock()
	defer stop()
	m.Run() // its result is the process's exit code once TestMain returns
}

// Start returns the server, started by the first call. From then on the
// environment of this process, and so of its children, holds its credentials
// where every AWS program looks for them.
func Start(t testing.TB) Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.entrusted {
		t.Fatal("start MinIO: nobody would stop it; add func TestMain(m *testing.M) { miniotest.Main(m) }")
	}
	if shared.server.Endpoint == "" && shared.err == nil {
		shared.server, shared.process, shared.err = start()
	}
	if shared.err != nil {
		t.Fatalf("start MinIO: %v", shared.err)
	}
	return shared.server
}

func start() (Server, *process, error) {
	if endpoint := os.Getenv("STRANDLINE_TEST_S3"); endpoint != "" {
		return Server{
			Endpoint:      endpoint,
			AccessKey:     os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretKey:     os.Getenv("AWS_SECRET_ACCESS_KEY"),
			outlivesTests: true,
		}, nil, nil
	}
	server := Server{AccessKey: accessKey, SecretKey: secretKey}
	process, err := launch(server)
	if err != nil {
		return Server{}, nil, err
	}
	server.Endpoint = process.endpoint
	server.lend()
	return server, process, nil
}

// lend puts the credentials where AWS programs look for them.
func (s Server) lend() {
	os.Setenv("AWS_ACCESS_KEY_ID", s.AccessKey)
	os.Setenv("AWS_SECRET_ACCESS_KEY", s.SecretKey)
	os.Setenv("AWS_REGION", Region)
	os.Unsetenv("AWS_SESSION_TOKEN")
}

func stop() {
	shared.Lock()
	defer shared.Unlock()
	if shared.process != nil {
		shared.process.stop()
	}
}
