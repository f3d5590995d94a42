package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// commandLine runs the program, in a folder with a configuration, to its end.
func commandLine(program, dir string, args ...string) ([]byte, error) {
	out, _, err := runProcess(program, append(args, "-c", filepath.Join(dir, "strandline.yaml")))
	if err != nil {
		return nil, fmt.Errorf("strandline %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// process is a running program.
type process struct {
	cmd     *exec.Cmd
	reading errgroup.Group // what it prints
}

// start starts a command of the program with the configuration of a folder. fact and note are
// told each line of its outputs.
func start(ctx context.Context, command []string, dir string, fact, note func(line []byte)) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, command[0], append(command[1:], "-c", filepath.Join(dir, "strandline.yaml"))...)}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	notes, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.reading.Go(func() error { return eachLine(out, fact) })
	p.reading.Go(func() error { return eachLine(notes, note) })
	return p, nil
}

func eachLine(r io.Reader, do func(line []byte)) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		do(s.Bytes())
	}
	return s.Err()
}

// stop interrupts the process, and waits for its end, which must be a good one.
func (p *process) stop() error {
	err := p.cmd.Process.Signal(syscall.SIGINT)
	return errors.Join(err, p.reading.Wait(), p.cmd.Wait())
}

// stream is a strandline run that takes posts.
type stream struct {
	*process
	url       string
	published chan int64 // up to which position of the stream a partition was published by it
}

// startStream returns when it takes posts.
func startStream(ctx context.Context, program, dir string) (*stream, error) {
	s := &stream{published: make(chan int64, 10_000)}
	serves := make(chan string, 1)
	var err error
	s.process, err = start(ctx, []string{program, "run", "--json"}, dir, s.fact, func(note []byte) {
		if _, rest, found := strings.Cut(string(note), "serving "); found {
			serves <- strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' })[0]
		}
	})
	if err != nil {
		return nil, err
	}
	select {
	case s.url = <-serves:
		return s, nil
	case <-time.After(time.Minute):
		return nil, errors.Join(errors.New("strandline run takes no posts after a minute"), s.stop())
	}
}

// fact reads what became of a partition.
func (s *stream) fact(line []byte) {
	var f struct {
		Driver  string
		Receipt *struct{ Positions map[string]int64 }
	}
	if json.Unmarshal(line, &f) == nil && f.Driver == "stream" && f.Receipt != nil {
		s.published <- f.Receipt.Positions["sales"]
	}
}

// post posts a record, and tells how long it took from the answer until it was published.
func (s *stream) post(ctx context.Context, record string) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/streams/sales", strings.NewReader(record))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(response.Body)
	landed := time.Now()
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return 0, err
	}
	var answer struct {
		To int64 `json:"to_position"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("post: %s: %s", response.Status, text)
	}
	for {
		select {
		case upTo := <-s.published:
			if upTo >= answer.To {
				return time.Since(landed), nil
			}
		case <-time.After(time.Minute):
			return 0, errors.New("what was posted is not published after a minute")
		}
	}
}
