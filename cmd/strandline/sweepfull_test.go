package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestASweepWithoutRoomSaysWhatMakesSome(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "lake/log", Err: syscall.ENOSPC}
	if err := withoutRoom(full); !errors.Is(err, full) || !strings.Contains(err.Error(), "make that room first") {
		t.Errorf("it says %v", err)
	}
	if err := withoutRoom(fs.ErrPermission); err != fs.ErrPermission {
		t.Errorf("of something else it says %v", err)
	}
	if err := withoutRoom(nil); err != nil {
		t.Errorf("of nothing it says %v", err)
	}
}
