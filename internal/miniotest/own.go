package miniotest

import (
	"os"
	"strings"
	"testing"
)

// Own is a server of one test alone, which may be killed and started again.
type Own struct {
	Server
	process *process
}

// StartOwn starts a server that ends with the test, with the credentials of the one that
// Start returns. Where that is a server of others, the test is skipped.
func StartOwn(t testing.TB) *Own {
	t.Helper()
	if os.Getenv("STRANDLINE_TEST_S3") != "" {
		t.Skip("the tests run against a server that is not theirs to restart")
	}
	o := &Own{Server: Server{AccessKey: accessKey, SecretKey: secretKey}}
	var err error
	if o.process, err = launch(o.Server); err != nil {
		t.Fatalf("start MinIO: %v", err)
	}
	o.Endpoint = o.process.endpoint
	o.lend()
	t.Cleanup(func() { o.process.stop() })
	return o
}

// Restart kills the server (SIGKILL) and starts it again, on its data and at its address.
// While does what is to be done while it is away.
func (o *Own) Restart(t testing.TB, while func()) {
	t.Helper()
	o.process.end()
	while()
	p, err := serve(o.Server, o.process.cmd.Path, o.process.dir, strings.TrimPrefix(o.Endpoint, "http://"))
	if err != nil {
		t.Fatalf("start MinIO again: %v", err)
	}
	o.process = p
}
