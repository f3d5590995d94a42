package kafka_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"strandline/internal/objstore"
)

func TestWhatIsSentLandsWhileItRuns(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(2, "events"))
	w.send(numbered(0, 0, 5)...)
	m := w.member(w.store, nil)
	w.await(m, 5)
	w.send(numbered(1, 0, 5)...)
	w.await(m, 5)
	m.stop()
	w.check()
}

func TestWhatAGroupHasCommittedIsNoMatter(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.send(numbered(0, 0, 10)...)
	var ahead kadm.Offsets
	ahead.Add(kadm.Offset{Topic: "events", Partition: 0, At: 7, LeaderEpoch: -1})
	if err := w.admin.CommitAllOffsets(context.Background(), "g", ahead); err != nil {
		t.Fatal(err)
	}
	m := w.member(w.store, nil)
	w.await(m, 1) // one batch reads the partition from its beginning, or leaves that out for ever
	m.stop()
	if rows := w.rows(); len(rows) == 0 || rows[0].offset != 0 {
		t.Errorf("landed %v, want the first record first", rows)
	}
}

func TestMembersThatComeAndGoLandEachRecordOnce(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(t, kfake.SeedTopics(4, "events"))
		random := rand.New(rand.NewPCG(seed, 1))
		var members []*member
		sent := make([]int, 4)
		for step := range 30 {
			switch n := random.IntN(10); {
			case n < 2 && len(members) < 3 || len(members) == 0:
				// Its store errs and loses answers, as this seed says.
				members = append(members, w.member(objstore.NewFault(w.store, objstore.SeededFaults(seed*100+uint64(step), 0.05)), nil))
			case n == 2:
				members[0].stop()
				members = members[1:]
			default:
				p := random.IntN(4)
				w.send(numbered(int32(p), sent[p], sent[p]+20)...)
				sent[p] += 20
			}
		}
		for _, m := range members {
			m.stop()
		}
		if err := w.drain(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if w.check(); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestAMemberThatWasLeftBehindLandsNothing(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.send(numbered(0, 0, 1)...)
	if err := w.drain(); err != nil { // so that it is known where to read on
		t.Fatal(err)
	}
	w.send(numbered(0, 1, 10)...)
	var once sync.Once
	slow := objstore.NewFault(w.store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && strings.Contains(key, "/log/") {
			once.Do(func() { // it has read, and is about to commit, when another one reads the same
				if err := w.drain(); err != nil {
					t.Error(err)
				}
			})
		}
		return objstore.Pass
	})
	if err := w.source(slow, nil).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	w.check()
}

func TestAMemberThatWasSlowGoesToWhereTheLogIs(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.send(numbered(0, 0, 5)...)
	var once sync.Once
	var stalled atomic.Bool
	about, resume := make(chan struct{}), make(chan struct{})
	slow := objstore.NewFault(w.store, func(op objstore.Op, key string) objstore.Action {
		if op == objstore.OpCreate && strings.Contains(key, "/log/") && stalled.Load() {
			once.Do(func() { close(about); <-resume })
		}
		return objstore.Pass
	})
	m := w.member(slow, nil)
	w.await(m, 5)
	stalled.Store(true)
	w.send(numbered(0, 5, 10)...)
	<-about // to commit, when another one commits the same and more
	w.send(numbered(0, 10, 15)...)
	if err := w.drain(); err != nil {
		t.Error(err)
	}
	close(resume)
	w.send(numbered(0, 15, 20)...)
	w.await(m, 5)
	m.stop()
	w.check()
	if len(m.trouble) > 0 {
		t.Errorf("it is told as trouble: %v", <-m.trouble)
	}
}

func TestTroubleIsToldOnceAndEndsNothing(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	var mu sync.Mutex
	down := true
	lake := objstore.NewFault(w.store, func(objstore.Op, string) objstore.Action {
		mu.Lock()
		defer mu.Unlock()
		if down {
			return objstore.Fail
		}
		return objstore.Pass
	})
	w.send(numbered(0, 0, 5)...)
	m := w.member(lake, nil)
	if err := w.fault(m); !errors.Is(err, objstore.ErrFault) {
		t.Errorf("the trouble is told as %v", err)
	}
	mu.Lock()
	down = false
	mu.Unlock()
	w.await(m, 5)
	m.stop()
	w.check()
	if n := len(m.trouble); n > 1 { // another call of the lake may have failed first
		t.Errorf("the same trouble was told %d times", n+1)
	}
}

func TestABrokerThatGoesAwayAndComesBackLosesAndDoublesNothing(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(2, "events"))
	w.send(numbered(0, 0, 5)...)
	m := w.member(w.store, nil)
	w.await(m, 5)
	for round := range 3 {
		w.cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
			return nil, errors.New("the connection is cut"), true
		})
		w.send(numbered(1, round*5, round*5+5)...)
		w.await(m, 5)
	}
	m.stop()
	w.check()
}
