package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed mutations.txt
var listed string

// mutation is one way to break the program.
type mutation struct {
	name   string
	breaks string   // what it does, in words
	file   string   // where, from the top of the tree
	tests  []string // arguments of go test
	old    string   // what is replaced; it is there once
	new    string
}

// parse reads mutations.txt, which says at its top how it is written.
func parse(text string) ([]mutation, error) {
	var all []mutation
	blocks := strings.Split("\n"+text, "\n== ")
	for _, block := range blocks[1:] {
		head, body, ok := strings.Cut(block, "\n<<<\n")
		old, rest, ok2 := strings.Cut(body, "\n===\n")
		new, _, ok3 := strings.Cut(rest, "\n>>>")
		lines := strings.Split(head, "\n")
		if !ok || !ok2 || !ok3 || len(lines) != 3 {
			return nil, fmt.Errorf("mutations.txt: %q is not whole", lines[0])
		}
		m := mutation{file: lines[1], tests: strings.Fields(lines[2]), old: old, new: new}
		m.name, m.breaks, _ = strings.Cut(lines[0], ": ")
		all = append(all, m)
	}
	return all, nil
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// apply returns the file at path as it is, and as the mutation makes it.
func (m mutation) apply(path string) (original, mutated []byte, err error) {
	original, err = os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if n := bytes.Count(original, []byte(m.old)); n != 1 {
		return nil, nil, fmt.Errorf("what it replaces is %d times in %s", n, m.file)
	}
	return original, bytes.Replace(original, []byte(m.old), []byte(m.new), 1), nil
}

// try applies the mutation, runs its tests, and takes it back. It returns the
// test that turned red, or an error if none did.
func (m mutation) try(ctx context.Context, tree string) (string, error) {
	path := filepath.Join(tree, m.file)
	original, mutated, err := m.apply(path)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, mutated, 0o644); err != nil {
		return "", err
	}
	defer func() { _ = os.WriteFile(path, original, 0o644) }()
	// The copy lies in another folder every time, which must not make all of it uncompiled.
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-vet=off", "-trimpath", "-ldflags=-s", "-timeout=5m"}, m.tests...)...)
	cmd.Dir = tree
	out, err := cmd.CombinedOutput()
	red := failedTest.FindSubmatch(out)
	switch {
	case err == nil:
		return "", errors.New("its tests are green")
	case red != nil:
		return "red: " + string(red[1]), nil
	case bytes.Contains(out, []byte("panic:")) || bytes.Contains(out, []byte("fatal error:")):
		return "red: a panic", nil
	}
	return "", fmt.Errorf("its tests did not run:\n%s", out)
}
