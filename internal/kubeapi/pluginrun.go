package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// mostPrinted is the most that a plugin may print to either of its outputs, in bytes.
const mostPrinted = 1 << 20

// mostComplaint is how much of what it complained of is told, in bytes: the end, where programs say why.
const mostComplaint = 4 << 10

var errPrintsTooMuch = fmt.Errorf("it was ended, since it prints more than %d MiB", mostPrinted>>20)

// printed is an output of a plugin, which is ended once it is too long.
type printed struct {
	text bytes.Buffer
	end  context.CancelCauseFunc
}

func (p *printed) Write(more []byte) (int, error) {
	if p.text.Len()+len(more) > mostPrinted {
		p.end(errPrintsTooMuch)
		return 0, errPrintsTooMuch
	}
	return p.text.Write(more)
}

// complaint is the text as a person is told it.
func (p *printed) complaint() string {
	text := strings.TrimSpace(p.text.String())
	return strings.ToValidUTF8(text[max(0, len(text)-mostComplaint):], "")
}

// run asks the plugin. It ends with its children when ctx does, or after a minute.
func (p plugin) run(ctx context.Context) (*told, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	out, complaint := printed{end: end}, printed{end: end}
	cmd := p.process(ctx)
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, p.failure(err, context.Cause(ctx), complaint.complaint())
	}
	return p.read(out.text.Bytes())
}

func (p plugin) process(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Command, p.Args...)
	withChildren(cmd)
	cmd.WaitDelay = time.Second // a child that left it may hold its output open
	cmd.Env = append(os.Environ(), `KUBERNETES_EXEC_INFO={"apiVersion":"`+p.APIVersion+`","kind":"ExecCredential","spec":{"interactive":false}}`)
	for _, v := range p.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	return cmd
}

// failure says why the plugin did not end well. ended is why it was ended, if it was.
func (p plugin) failure(err, ended error, complaint string) error {
	switch {
	case errors.Is(ended, errPrintsTooMuch):
		return ended
	case errors.Is(err, exec.ErrNotFound) && p.Hint != "":
		return fmt.Errorf("%w; %s", err, p.Hint)
	case errors.Is(ended, context.DeadlineExceeded):
		err = fmt.Errorf("it was ended, since it told nothing in time (%w)", ended)
	case ended != nil:
		err = fmt.Errorf("it was ended (%w)", ended)
	}
	if complaint != "" {
		err = fmt.Errorf("%w: %s", err, complaint)
	}
	return err
}

// read is what the plugin told.
func (p plugin) read(out []byte) (*told, error) {
	var answer told
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("its answer: %w", err)
	}
	switch {
	case answer.Kind != "ExecCredential" || answer.APIVersion != p.APIVersion:
		return nil, fmt.Errorf("its answer has kind %q and apiVersion %q: want an ExecCredential of %s", answer.Kind, answer.APIVersion, p.APIVersion)
	case answer.Status == nil || answer.Status.Token == "" && answer.Status.Cert == "":
		return nil, errors.New("it told neither a token nor a certificate")
	}
	return &answer, nil
}
