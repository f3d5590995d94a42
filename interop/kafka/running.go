package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// running is a strandline that follows the topic.
type running struct {
	cmd    *exec.Cmd
	landed chan struct{} // gets one when something has landed; closed when it has ended
}

// run starts it, and returns once it has landed what is sent to the topic now.
func (w *world) run(ctx context.Context) (*running, error) {
	r := &running{cmd: w.command(ctx, "run"), landed: make(chan struct{}, 1)}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if os.Getenv("VERBOSE") != "" {
		r.cmd.Stderr = os.Stderr
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	go r.follow(out)
	if err := w.send(ctx, 3); err != nil {
		return nil, err
	}
	return r, r.landing(ctx)
}

func (r *running) follow(out io.Reader) {
	defer close(r.landed)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if os.Getenv("VERBOSE") != "" {
			fmt.Println(lines.Text())
		}
		if strings.Contains(lines.Text(), ": landed ") {
			select {
			case r.landed <- struct{}{}:
			default:
			}
		}
	}
}

// landing waits until something has landed since it was called last.
func (r *running) landing(ctx context.Context) error {
	select {
	case _, ok := <-r.landed:
		if !ok {
			return errors.New("strandline run ended by itself")
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for strandline run to land something: %w", ctx.Err())
	}
}

// kill ends it as a power cut does.
func (r *running) kill() error {
	err := r.cmd.Process.Kill()
	for range r.landed { // up to its end
	}
	_ = r.cmd.Wait() // it was killed
	return err
}
