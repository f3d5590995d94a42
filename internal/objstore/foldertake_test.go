package objstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What hinders that a file is taken, and not that it is read, is no reason to fail.
func TestAFileThatCantBeTakenIsLeftToBeCopied(t *testing.T) {
	for name, open := range map[string]func(path string) (*os.File, error){
		"no attributes by name can be told": func(path string) (*os.File, error) { return os.OpenFile(path, unix.O_PATH, 0) },
		"nothing can be told": func(path string) (*os.File, error) {
			file, err := os.Open(path)
			return file, errors.Join(err, file.Close())
		},
		"no time can be set": func(path string) (*os.File, error) {
			file, err := os.Open(path)
			return file, errors.Join(err, os.Remove(path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, temporary := filepath.Join(dir, "file"), filepath.Join(dir, "temporary")
			if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
			file, err := open(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = file.Close() })
			if took, err := takeAs(file, temporary); took || err != nil {
				t.Errorf("took %v, %v", took, err)
			}
			if _, err := os.Lstat(temporary); !isAbsent(err) {
				t.Errorf("at its name: %v", err)
			}
		})
	}
}
