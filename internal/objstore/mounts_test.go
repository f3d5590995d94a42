package objstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Linux has a mount inside another there.
const outer, memory = "/dev", "/dev/shm"

func TestAMountInsideALakeIsToldAsThat(t *testing.T) {
	out, err := os.Stat(outer)
	in, inErr := os.Stat(memory)
	if err := errors.Join(err, inErr); err != nil || device(out) == device(in) {
		t.Skip("no mount inside another: ", err)
	}
	err = checkMounts(t.Context(), &trial{Store: &Folder{root: outer}})
	if err == nil || !strings.Contains(err.Error(), "is mounted apart from "+outer+",") || !strings.Contains(err.Error(), "as a whole") {
		t.Errorf("check says %v", err)
	}
	for name, store := range map[string]Store{"folder": &Folder{root: t.TempDir()}, "memory": NewMemory()} {
		if err := checkMounts(t.Context(), &trial{Store: store}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAWriteIntoAMountInsideALakeSaysWhatToDo(t *testing.T) {
	lake := &Folder{root: t.TempDir()}
	temporary := filepath.Join(lake.root, "temporary")
	if err := os.WriteFile(temporary, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(memory, "strandline-"+filepath.Base(lake.root)+"-never")
	if err := os.Link(temporary, target); !errors.Is(err, syscall.EXDEV) {
		_ = os.Remove(target)
		t.Skip("no other file system: ", err)
	}
	err := lake.publish(temporary, target)
	if !errors.Is(err, ErrNotWritten) || !strings.Contains(err.Error(), memory+" is mounted apart from "+lake.root) {
		t.Errorf("got %v", err)
	}
}
