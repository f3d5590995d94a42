package window_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyTestsSkipTheCheck keeps CompileUnchecked out of the product.
func TestOnlyTestsSkipTheCheck(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		if strings.Contains(string(content), "CompileUnchecked") && filepath.Base(path) != "compile.go" {
			t.Errorf("%s skips the check of jobs", path)
		}
		return nil
	})
	if err != nil || seen < 50 {
		t.Fatalf("read %d files: %v", seen, err)
	}
}
