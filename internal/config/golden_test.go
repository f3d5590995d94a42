package config_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/internal/config"
)

var update = flag.Bool("update", false, "write the golden files anew")

// env is the environment that the tests' files are read in.
func env(name string) (string, bool) {
	v, ok := map[string]string{
		"BUCKET_URL": "s3://tide", "USER_DIR": "a: {b: c}", "EMPTY": "", "LATIN1": "caf\xe9", "KAFKA_PASSWORD": "sesame", "ENDPOINT_TEXT": "http://x",
	}[name]
	return v, ok
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it anew); got:\n%s", path, got)
	}
}

func files(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	out := map[string][]byte{}
	for _, p := range paths {
		if out[p], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestGoodFilesMeanWhatTheySay(t *testing.T) {
	for path, data := range files(t, "testdata/good/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, err := config.Parse(data, "/etc/tide/"+filepath.Base(path), env)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".json", string(got)+"\n")
		})
	}
}

func TestEveryMistakeIsToldWithItsPlace(t *testing.T) {
	for path, data := range files(t, "testdata/bad/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, err := config.Parse(data, "strandline.yaml", env)
			if err == nil || c != nil {
				t.Fatalf("got %+v, %v; want an error and no configuration", c, err)
			}
			checkPlaces(t, "strandline.yaml", err)
			golden(t, strings.TrimSuffix(path, ".yaml")+".err", err.Error()+"\n")
		})
	}
}

// checkPlaces fails unless an error is problems alone, one a line, in the
// order of the file, each with a line and a column.
func checkPlaces(t *testing.T, file string, err error) {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T is not a join of problems", err)
	}
	line := 1
	for _, e := range joined.Unwrap() {
		var p *config.Problem
		if !errors.As(e, &p) || p.File != file || p.Line < line || p.Column < 1 || p.Text == "" {
			t.Fatalf("problem without its place, or out of order: %v", e)
		}
		if strings.ContainsAny(e.Error(), "\n\r") {
			t.Fatalf("problem of several lines: %q", e)
		}
		line = p.Line
	}
}
