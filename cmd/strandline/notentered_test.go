package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"strandline/internal/objstore"
)

// Where the lake takes no entry a request can't be paused there: what holds it all the same is said.
func TestWhatCantBeEnteredSaysWhatHoldsARequest(t *testing.T) {
	full := fmt.Errorf("%w: %w", objstore.ErrNotWritten, &fs.PathError{Op: "write", Path: "lake/log", Err: syscall.ENOSPC})
	closed := fmt.Errorf("%w: %w", objstore.ErrNotWritten, fs.ErrPermission)
	for _, c := range []struct {
		use   string
		err   error
		says  string
		holds bool
	}{
		{"pause", full, "make room there", true},
		{"cancel", full, "make room there", true},
		{"cancel", closed, "where the lake can be written again", true},
		{"resume", full, "make room there", false},
	} {
		err := notEntered(c.use, c.err)
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "stop what works on it") != c.holds {
			t.Errorf("%s: it says %v", c.use, err)
		}
	}
	if err := notEntered("pause", fs.ErrPermission); err != fs.ErrPermission {
		t.Errorf("of something else it says %v", err)
	}
	if err := notEntered("pause", nil); err != nil {
		t.Errorf("of nothing it says %v", err)
	}
}

func TestTheCommandsThatChangeARequestSaySo(t *testing.T) {
	p := newSales(t)
	a := &app{out: io.Discard, err: io.Discard, configPath: p.path("strandline.yaml"), env: os.LookupEnv}
	cmd := changing(a, "pause", "", "", func(*cobra.Command, *lake, steered) error { return objstore.ErrNotWritten })
	cmd.SetArgs([]string{p.asked()})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, objstore.ErrNotWritten) || !strings.Contains(err.Error(), "stop what works on it") {
		t.Errorf("it says %v", err)
	}
}
