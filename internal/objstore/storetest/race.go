package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"strandline/internal/objstore"
)

const (
	writers   = 64
	raceKeys  = 24
	tornTries = 12
)

func createHasOneWinner(t *testing.T, s objstore.Store) {
	for k := range raceKeys {
		key := fmt.Sprintf("race/log/%020d.json", k)
		var errs [writers]error
		start := make(chan struct{})
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				<-start
				errs[w] = s.Create(t.Context(), key, raceBody(w))
			})
		}
		close(start)
		all.Wait()
		expect(t, s, key, raceBody(onlyWinner(t, key, errs[:])))
	}
}

func onlyWinner(t *testing.T, key string, errs []error) int {
	t.Helper()
	var winners []int
	for w, err := range errs {
		if err == nil {
			winners = append(winners, w)
		} else if !errors.Is(err, objstore.ErrExists) {
			t.Errorf("writer %d of %s: got %v, want nil or ErrExists", w, key, err)
		}
	}
	if len(winners) != 1 {
		t.Fatalf("%s: writers %v won, want one", key, winners)
	}
	return winners[0]
}

func raceBody(writer int) []byte { return fmt.Appendf(nil, "writer %d", writer) }

// readersNeverSeeATornObject reads each object from before it is there until
// it is seen, while large and small ones are being made.
func readersNeverSeeATornObject(t *testing.T, s objstore.Store) {
	path := filepath.Join(t.TempDir(), "large")
	large, small := pattern(3<<20), pattern(4000)
	if err := os.WriteFile(path, large, 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range tornTries {
		one, two := fmt.Sprintf("torn/large-%d", i), fmt.Sprintf("torn/small-%d", i)
		all.Go(func() { seesWhole(t, s, one, large) })
		all.Go(func() { seesWhole(t, s, two, small) })
		all.Go(func() {
			if err := errors.Join(s.Upload(t.Context(), one, path), s.Create(t.Context(), two, small)); err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

func seesWhole(t *testing.T, s objstore.Store, key string, want []byte) {
	for !t.Failed() {
		got, err := s.Read(t.Context(), key)
		if errors.Is(err, objstore.ErrNotFound) {
			continue
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v, want all %d", key, len(got), err, len(want))
		}
		return
	}
}
