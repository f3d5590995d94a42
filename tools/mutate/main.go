// Command mutate breaks the program on purpose, in one way after the other, in
// a copy of the tree, and demands that the tests named for each way turn red.
// A mutation that no test finds means that an invariant is not watched.
//
//	go run ./tools/mutate [-only NAME] [-list]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "try only mutations whose name contains one of these `WORDS`, with commas between")
	list := flag.Bool("list", false, "list the mutations and try none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, list bool) error {
	mutations, err := parse(listed)
	if err != nil {
		return err
	}
	mutations = chosen(mutations, only)
	if list {
		for _, m := range mutations {
			fmt.Printf("%-28s %s\n", m.name, m.breaks)
		}
		return nil
	}
	tree, err := copyTree(ctx)
	if err != nil {
		return fmt.Errorf("copy the tree: %w", err)
	}
	defer os.RemoveAll(tree)
	var unseen []string
	for _, m := range mutations {
		start := time.Now()
		verdict, err := m.try(ctx, tree)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			unseen = append(unseen, m.name)
			verdict = "NOT SEEN: " + err.Error()
		}
		fmt.Printf("%-28s %5.1fs  %s\n", m.name, time.Since(start).Seconds(), verdict)
	}
	if len(unseen) > 0 {
		return fmt.Errorf("%d of %d mutations turned no test red: %s", len(unseen), len(mutations), strings.Join(unseen, ", "))
	}
	fmt.Printf("all %d mutations turn a test red\n", len(mutations))
	return nil
}

func chosen(mutations []mutation, only string) []mutation {
	if only == "" {
		return mutations
	}
	var some []mutation
	for _, m := range mutations {
		for word := range strings.SplitSeq(only, ",") {
			if strings.Contains(m.name, word) {
				some = append(some, m)
				break
			}
		}
	}
	return some
}

// copyTree copies the files that git knows, or would add, to a fresh folder.
func copyTree(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	tree, err := os.MkdirTemp("", "strandline-mutate-")
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := copyFile(name, filepath.Join(tree, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", errors.Join(err, os.RemoveAll(tree))
		}
	}
	bin, err := filepath.Abs("bin") // the tests' S3 server is there
	if err == nil {
		err = os.Symlink(bin, filepath.Join(tree, "bin"))
	}
	return tree, err
}

func copyFile(from, to string) error {
	body, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, body, 0o644)
}
