package objstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrNotExclusive says that a store lets two writers create the same key. No
// log can stand on it.
var ErrNotExclusive = errors.New("the store does not honour create-if-absent, so two writers could both commit; use a folder on a local disk, or an S3 service that honours If-None-Match on PUT")

// selfTest is the prefix of the keys that Prove and Check use and remove.
const selfTest = "selftest/"

// Report is what Prove has seen.
type Report struct {
	Key  string        // the key that was raced for
	Took time.Duration // of the whole proof
}

// Prove shows, by a race of two writers for a fresh key, that the store
// honours create-if-absent and that readers see what was written. Programs call
// it before their first write and stop where it errs: with ErrNotExclusive the
// store is unfit; any other error means that it could not be tried.
func Prove(ctx context.Context, store Store) (report Report, err error) {
	start := time.Now()
	report.Key = freshKey("proof")
	defer func() {
		if cleanErr := clean(ctx, store, report.Key); err == nil {
			err = cleanErr // else the store has trouble that is told already
		}
		report.Took = time.Since(start)
	}()
	if err := raceFor(ctx, store, report.Key, 2); err != nil {
		return report, fmt.Errorf("prove create-if-absent at %s: %w", store.URL(""), err)
	}
	if err := isListed(ctx, store, report.Key); err != nil {
		return report, fmt.Errorf("prove list at %s: %w", store.URL(""), err)
	}
	return report, nil
}

func freshKey(name string) string { return selfTest + name + "-" + rand.Text() }

// clean removes keys even if the context has ended.
func clean(ctx context.Context, store Store, keys ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	var all []error
	for _, key := range keys {
		all = append(all, store.Delete(ctx, key))
	}
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("remove the self-test's objects: %w", err)
	}
	return nil
}

// raceFor lets writers create one key at once and checks that one wins, that
// the others lose cleanly, and that the winner's bytes stand.
func raceFor(ctx context.Context, store Store, key string, writers int) error {
	errs := make([]error, writers)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			<-start
			errs[i] = store.Create(ctx, key, raceBody(key, i))
		})
	}
	close(start)
	all.Wait()
	winner, err := onlyWinner(errs)
	if err != nil {
		return err
	}
	body, err := store.Read(ctx, key)
	if err != nil {
		return err
	}
	if string(body) != string(raceBody(key, winner)) {
		return fmt.Errorf("%s holds %q, but the writer of %q was told that it won: %w", key, body, raceBody(key, winner), ErrNotExclusive)
	}
	return nil
}

func raceBody(key string, writer int) []byte { return fmt.Appendf(nil, "%s by writer %d", key, writer) }

// onlyWinner returns the index of the only nil among the errors of a race.
func onlyWinner(errs []error) (int, error) {
	winner, winners := 0, 0
	for i, err := range errs {
		switch {
		case err == nil:
			winner = i
			winners++
		case !errors.Is(err, ErrExists):
			return 0, err
		}
	}
	switch winners {
	case 1:
		return winner, nil
	case 0:
		return 0, fmt.Errorf("all %d writers of a fresh key were told that it exists: %w", len(errs), ErrNotExclusive)
	}
	return 0, fmt.Errorf("%d of %d writers were told that they created the same key: %w", winners, len(errs), ErrNotExclusive)
}

// isListed checks that a listing that starts right before key finds it.
func isListed(ctx context.Context, store Store, key string) error {
	before := key[:len(key)-1]
	found, err := store.List(ctx, before, before, 1)
	if err != nil {
		return err
	}
	if len(found) != 1 || found[0].Key != key {
		return fmt.Errorf("%s was written, but a listing after %q shows %v", key, before, found)
	}
	return nil
}
