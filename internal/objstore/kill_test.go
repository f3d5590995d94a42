package objstore_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"strandline/internal/miniotest"
	"strandline/internal/objstore"
)

// childEnv makes the test binary a writer to be killed: "<name> <root>".
const childEnv = "STRANDLINE_TEST_WRITER"

func TestMain(m *testing.M) {
	if name, root, child := strings.Cut(os.Getenv(childEnv), " "); child {
		if err := writeUntilKilled(name, root, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	miniotest.Main(m)
}

// writeUntilKilled creates and uploads objects that other children want too,
// and tells each key that was acknowledged, from four goroutines.
func writeUntilKilled(name, root string, told io.Writer) error {
	store, err := objstore.OpenFolder(root)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	errs := make(chan error)
	for g := range 4 {
		go func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%d/new-%d/%d", g, n/5, n)
				err := write(store, key, sealed(name, key), n%2 == 0, filepath.Join(root, "..", name+strconv.Itoa(g)))
				if errors.Is(err, objstore.ErrExists) {
					continue
				}
				mu.Lock()
				_, lost := fmt.Fprintln(told, key)
				mu.Unlock()
				if err := errors.Join(err, lost); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	return <-errs
}

func write(store objstore.Store, key string, body []byte, small bool, path string) error {
	if small {
		return store.Create(context.Background(), key, body)
	}
	// A writer of that name may have been killed: its file may be an object, which is not to be written to.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(path, body, 0o666); err != nil {
		return err
	}
	return objstore.Take(context.Background(), store, key, path)
}

// sealed is a body that tells its writer, and whether it is whole.
func sealed(name, key string) []byte {
	text := []byte(name + "\n" + strings.Repeat(key+" ", 3000))
	return fmt.Appendf(nil, "%x\n%s", sha256.Sum256(text), text)
}

func unseal(body []byte) (name string, whole bool) {
	seal, text, _ := bytes.Cut(body, []byte("\n"))
	name, _, _ = strings.Cut(string(text), "\n")
	return name, string(seal) == fmt.Sprintf("%x", sha256.Sum256(text))
}

func TestKilledWritersLoseNothingAcknowledgedAndTearNothing(t *testing.T) {
	for round := range 8 {
		root := filepath.Join(t.TempDir(), "lake")
		var children sync.WaitGroup
		acknowledged := make([][]string, 3)
		for c := range acknowledged {
			children.Go(func() {
				var err error
				// Killed after ever more answers, so at ever other moments.
				if acknowledged[c], err = killAfter(t.Context(), strconv.Itoa(c), root, 1+7*round+c); err != nil {
					t.Errorf("writer %d: %v", c, err)
				}
			})
		}
		children.Wait()
		checkSurvivors(t, openFolder(t, root), acknowledged)
	}
}

// killAfter runs a writer and kills it with SIGKILL once it has told of some
// keys. It returns all that it told, also those it told before it died of it.
func killAfter(ctx context.Context, name, root string, answers int) (told []string, err error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+name+" "+root)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // the last line may be cut short
			_ = cmd.Wait() // killed, as it should be
			if len(told) < answers {
				return nil, fmt.Errorf("ended by itself after %d keys: %s", len(told), stderr.String())
			}
			return told, nil
		}
		if told = append(told, strings.TrimSpace(line)); len(told) == answers {
			if err := cmd.Process.Kill(); err != nil {
				return nil, err
			}
		}
	}
}

func checkSurvivors(t *testing.T, store objstore.Store, acknowledged [][]string) {
	t.Helper()
	for c, keys := range acknowledged {
		for _, key := range keys {
			body, err := store.Read(t.Context(), key)
			if owner, _ := unseal(body); err != nil || owner != strconv.Itoa(c) {
				t.Errorf("%s was acknowledged to writer %d, but is %q's: %v", key, c, owner, err)
			}
		}
	}
	found, err := store.List(t.Context(), "", "", 1e6)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range found {
		body, err := store.Read(t.Context(), object.Key)
		if _, whole := unseal(body); err != nil || !whole {
			t.Errorf("%s is torn: %d bytes, %v", object.Key, len(body), err)
		}
	}
}
