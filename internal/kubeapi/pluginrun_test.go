//go:build unix

package kubeapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lasting is a plugin with a child, which goes on after begun by itself. What follows begun are the words of those that
// were left alone, told once all have ended.
func lasting(t *testing.T, then string) (plugin string, begun <-chan struct{}, lived <-chan string) {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	began, words := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(words)
		file, err := os.Open(fifo)
		if err != nil {
			words <- err.Error()
			return
		}
		defer file.Close()
		lines := bufio.NewReader(file)
		_, _ = lines.ReadString('\n')
		close(began)
		rest, _ := io.ReadAll(lines)
		words <- string(rest)
	}()
	return write(t, "plugin", "#!/bin/sh\nexec 3>"+fifo+"\n(sleep 30; echo a child lived >&3) &\necho begun >&3\n"+then+"\nsleep 30; echo it lived >&3\n"), began, words
}

func asks(t *testing.T, plugin string) *Client {
	t.Helper()
	client, _ := serve(t, "exec: {apiVersion: client.authentication.k8s.io/v1, command: "+plugin+"}", ok)
	return client
}

func TestAPluginThatPrintsTooMuchIsEndedWithItsChildren(t *testing.T) {
	for _, prints := range []string{"head -c 1100000 /dev/zero", "head -c 1100000 /dev/zero >&2"} {
		t.Run(prints, func(t *testing.T) {
			t.Parallel()
			plugin, _, lived := lasting(t, prints)
			err := asks(t, plugin).Do(t.Context(), get, nil)
			if err == nil || !strings.Contains(err.Error(), plugin) || !strings.Contains(err.Error(), "it prints more than 1 MiB") || len(err.Error()) > 1000 {
				t.Errorf("got %.1000v", err)
			}
			if words := <-lived; words != "" {
				t.Error(words)
			}
		})
	}
}

func TestAPluginEndsWithItsChildrenWhenItsCallDoes(t *testing.T) {
	t.Parallel()
	plugin, begun, lived := lasting(t, "echo log in first >&2")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	err := asks(t, plugin).Do(ctx, get, nil)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), plugin) || strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v", err)
	}
	if words := <-lived; words != "" {
		t.Error(words)
	}
}

// Of a long complaint the end is told, in whole characters.
func TestALongComplaintOfAPluginIsCut(t *testing.T) {
	plugin := write(t, "plugin", "#!/bin/sh\nyes é | head -c 30000 >&2\necho log in first >&2; exit 3")
	err := asks(t, plugin).Do(t.Context(), get, nil)
	if err == nil || !strings.HasSuffix(err.Error(), "log in first") || len(err.Error()) > mostComplaint+500 || strings.Contains(err.Error(), "\ufffd") {
		t.Errorf("got %v", err)
	}
}
