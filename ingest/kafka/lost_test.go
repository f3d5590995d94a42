package kafka_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"strandline/ingest/kafka"
	"strandline/landing"
)

// lose removes the offsets below one.
func (w *world) lose(partition int32, below int64) {
	w.t.Helper()
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{Topic: "events", Partition: partition, At: below, LeaderEpoch: -1})
	if _, err := w.admin.DeleteRecords(context.Background(), offsets); err != nil {
		w.t.Fatal(err)
	}
}

// remake deletes the topic and makes it again.
func (w *world) remake(partitions int32) {
	w.t.Helper()
	if _, err := w.admin.DeleteTopic(context.Background(), "events"); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.admin.CreateTopic(context.Background(), partitions, 1, nil, "events"); err != nil {
		w.t.Fatal(err)
	}
	w.client = w.dial() // one that knows nothing of the old topic
}

// gaps are those that the landing log has.
func (w *world) gaps() (gaps []landing.Gap) {
	w.t.Helper()
	s := w.stream(w.store)
	if err := s.Refresh(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	err := s.Arrivals(context.Background(), 0, s.Next(), func(a landing.Arrival) error {
		for _, p := range a.Gaps {
			gaps = append(gaps, *p.Gap)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return gaps
}

// accepted fails unless the lake refuses to go on with an error, and goes on once that
// is accepted, which the log keeps.
func (w *world) accepted(kind error, from, to int64) {
	w.t.Helper()
	before := w.rows()
	err := w.drain()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), "strandline land events --accept-gap") {
		w.t.Fatalf("draining says %v, want %v and what to do", err, kind)
	}
	if now := w.rows(); len(now) != len(before) {
		w.t.Fatalf("%d rows landed all the same", len(now)-len(before))
	}
	lost, err := w.source(w.store, nil).AcceptGap(w.context())
	if err != nil || len(lost) != 1 || lost[0].From != from || lost[0].To != to || lost[0].Kind != kind {
		w.t.Fatalf("accepted %v, %v; want offsets [%d, %d)", lost, err, from, to)
	}
	gaps := w.gaps()
	if len(gaps) == 0 || gaps[len(gaps)-1] != (landing.Gap{From: from, To: to, Reason: kind.Error()}) {
		w.t.Errorf("the log has the gaps %v", gaps)
	}
	if lost, err := w.source(w.store, nil).AcceptGap(w.context()); err != nil || lost != nil {
		w.t.Errorf("accepted once more: %v, %v", lost, err)
	}
	if err := w.drain(); err != nil {
		w.t.Fatal(err)
	}
	w.check()
}

func TestOffsetsThatAreGoneArePassedOnlyWhenSomebodyAcceptsIt(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(2, "events"))
	w.send(numbered(0, 0, 10)...)
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	w.produce(numbered(0, 10, 15)...)
	w.send(numbered(0, 15, 20)...)
	w.send(numbered(1, 0, 5)...)
	w.lose(0, 15)
	w.accepted(kafka.ErrOffsetsGone, 10, 15)
}

func TestATopicMadeAgainIsReadOnlyWhenSomebodyAcceptsIt(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.send(numbered(0, 0, 10)...)
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	w.remake(2)
	w.send(numbered(0, 10, 30)...) // more than landed before, so that offsets alone tell nothing
	w.send(numbered(1, 0, 5)...)
	w.accepted(kafka.ErrTopicRecreated, 10, 1<<63-1)
}

func TestWhatIsLostWhileItRunsIsNoticedAndGoneOnWithOnceAccepted(t *testing.T) {
	t.Parallel() // clients take seconds to be sure that the topic is another one
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.send(numbered(0, 0, 10)...)
	m := w.member(w.store, func(o *kafka.Options) { o.Retry = 50 * time.Millisecond })
	w.await(m, 10)
	w.remake(1)
	w.send(numbered(0, 10, 30)...)
	for {
		if err := w.fault(m); errors.Is(err, kafka.ErrTopicRecreated) {
			break
		}
	}
	if _, err := w.source(w.store, nil).AcceptGap(w.context()); err != nil {
		t.Fatal(err)
	}
	w.await(m, 20)
	m.stop()
	w.check()
}

func TestATopicThatIsNotThereIsNamed(t *testing.T) {
	w := newWorld(t)
	if err := w.drain(); !errors.Is(err, kafka.ErrNoTopic) || !strings.Contains(err.Error(), "topic events") {
		t.Errorf("it says %v", err)
	}
}
