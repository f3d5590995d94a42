package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"strandline/internal/config"
)

func TestInitWritesAFileThatLoads(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, args := range [][]string{{"init"}, {"init", "deep/er"}, {"init", "-c", "own.yaml"}} {
		if r := strandline(t, args...); r.code != exitDone || !strings.Contains(r.out, "strandline land events") {
			t.Fatalf("%v: %+v", args, r)
		}
	}
	for _, path := range []string{"strandline.yaml", "deep/er/strandline.yaml", "own.yaml"} {
		if _, err := config.Load(path, os.LookupEnv); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(".strandline-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func TestInitNeverOverwrites(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("strandline.yaml", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := strandline(t, "init")
	if r.code != exitUsage || !strings.Contains(r.err, "strandline.yaml is there already") {
		t.Errorf("%+v", r)
	}
	if got, err := os.ReadFile("strandline.yaml"); err != nil || string(got) != "mine" {
		t.Errorf("holds %q, %v", got, err)
	}
}

func TestInitTellsProgramsTheFile(t *testing.T) {
	dir := t.TempDir()
	r := strandline(t, "init", dir, "--json")
	var got struct{ Config string }
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || strings.Count(r.out, "\n") != 1 {
		t.Fatalf("%q: %v", r.out, err)
	}
	if got.Config != filepath.Join(dir, "strandline.yaml") {
		t.Errorf("%+v", got)
	}
}

func TestOfRacingInitsOneWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strandline.yaml")
	var won atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch err := createWhole(path, config.Template()); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d won", won.Load())
	}
}

func TestInitThatCannotWriteIsAFailureNotMisuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := strandline(t, "init", filepath.Join(file, "dir")); r.code != exitFailed || !strings.HasPrefix(r.err, "strandline: make the folder of ") {
		t.Errorf("%+v", r)
	}
}
