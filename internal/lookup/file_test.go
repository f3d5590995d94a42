package lookup

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAFileThatChangesMeanwhileIsNotRead(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"appended": func(path string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = file.WriteString("LHR\n")
				err = errors.Join(err, file.Close())
			}
			return err
		},
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", []byte("iata\n"), 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		path := filepath.Join(t.TempDir(), "airports.csv")
		if err := os.WriteFile(path, []byte("iata\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := steady(path, func(*os.File) error { return change(path) }); !errors.Is(err, ErrChanging) {
			t.Errorf("%s: got %v, want ErrChanging", name, err)
		}
		if err := steady(path, func(*os.File) error { return nil }); err != nil {
			t.Errorf("%s: nobody changes it any more: %v", name, err)
		}
	}
}

// Opening a pipe would wait for ever.
func TestWhatIsNoRegularFileIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link.csv")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir} {
		if _, err := (Spec{Name: "airports", File: path}).Read(); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: got %v, want ErrNotRegular", path, err)
		}
	}
}
