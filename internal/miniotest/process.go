package miniotest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// patience is how long a server may take to come up. It needs 1 to 2 seconds
// of CPU time, of which a busy machine has few.
const patience = time.Minute

// process is a MinIO server that this test binary has started.
type process struct {
	endpoint string
	dir      string
	cmd      *exec.Cmd
	output   *os.File      // the server's, both streams
	done     chan struct{} // closed once the process is gone
}

// launch starts a server and waits until it is ready.
func launch(s Server) (*process, error) {
	binary, err := findBinary()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "strandline-minio-")
	if err != nil {
		return nil, err
	}
	p, err := serve(s, binary, dir, "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// serve starts a server with its data in dir, and waits until it is ready.
func serve(s Server, binary, dir, address string) (*process, error) {
	p := &process{dir: dir, done: make(chan struct{})}
	p.cmd = exec.Command(binary, "server", "--address", address, filepath.Join(dir, "data"))
	p.cmd.Env = append(os.Environ(), "MINIO_ROOT_USER="+s.AccessKey, "MINIO_ROOT_PASSWORD="+s.SecretKey,
		"MINIO_BROWSER=off", "MINIO_UPDATE=off", "HOME="+dir)
	die(p.cmd)
	if err := p.run(); err != nil {
		return nil, err
	}
	if err := p.awaitReady(); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

// run starts the process, from a thread that lives as long as it: on Linux the
// kernel ends the process when the thread that started it ends.
func (p *process) run() error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	p.output, p.cmd.Stdout, p.cmd.Stderr = read, write, write
	started := make(chan error)
	go func() {
		defer close(p.done)
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // ended by stop, or by itself: both show as not ready
		}
	}()
	return <-started
}

var endpointLine = regexp.MustCompile(`API: (http://127\.0\.0\.1:\d+)`)

// awaitReady reads the port from the server's output, which it goes on to
// drain, and polls until the server takes requests.
func (p *process) awaitReady() error {
	deadline := time.Now().Add(patience)
	if err := p.output.SetReadDeadline(deadline); err != nil {
		return err
	}
	lines := bufio.NewScanner(p.output)
	var said strings.Builder
	for p.endpoint == "" {
		if !lines.Scan() {
			return fmt.Errorf("%s told no address, but: %s", p.cmd.Path, said.String())
		}
		said.WriteString(lines.Text() + "\n")
		if m := endpointLine.FindStringSubmatch(lines.Text()); m != nil {
			p.endpoint = m[1]
		}
	}
	if err := p.output.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	go io.Copy(io.Discard, p.output) // ends with the process
	return p.poll(deadline)
}

func (p *process) poll(deadline time.Time) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for time.Now().Before(deadline) {
		answer, err := http.Get(p.endpoint + "/minio/health/ready")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before it was ready", p.cmd.Path)
		case <-tick.C:
		}
	}
	return fmt.Errorf("%s was not ready within %v", p.cmd.Path, patience)
}

// stop ends the server, and removes what it held.
func (p *process) stop() {
	p.end()
	os.RemoveAll(p.dir)
}

// end kills the server.
func (p *process) end() {
	select {
	case <-p.done:
	default:
		kill(p.cmd)
		<-p.done
	}
	p.output.Close()
}

// findBinary looks where STRANDLINE_MINIO says, or in bin/ of this module.
func findBinary() (string, error) {
	path := os.Getenv("STRANDLINE_MINIO")
	if path == "" {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		path = filepath.Join(root, "bin", "minio")
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no MinIO at %s: run make minio (or set STRANDLINE_MINIO to a binary, or STRANDLINE_TEST_S3 to the endpoint of a server)", path)
	}
	return path, nil
}

// moduleRoot is the nearest folder above the tests that holds a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above the tests; set STRANDLINE_MINIO to a MinIO binary")
		}
	}
	return "", err
}
