package kafka_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"strandline/ingest/kafka"
	"strandline/landing"
)

func TestWhereATopicBeginsIsFixedByTheFirstLook(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(2, "events"))
	w.produce(numbered(0, 0, 10)...)
	latest := func(o *kafka.Options) { o.Start = kafka.Start{From: kafka.StartLatest} }
	if err := w.source(w.store, latest).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	// Nothing has landed yet. What comes before the next look is not left out.
	w.send(numbered(0, 10, 15)...)
	w.send(numbered(1, 0, 5)...)
	if err := w.source(w.store, latest).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	w.check()
}

func TestAPartitionThatATopicGetsLaterIsReadFromItsBeginning(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	latest := func(o *kafka.Options) { o.Start = kafka.Start{From: kafka.StartLatest} }
	if err := w.source(w.store, latest).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.admin.CreatePartitions(context.Background(), 1, "events"); err != nil {
		t.Fatal(err)
	}
	w.client = w.dial()
	w.send(numbered(1, 0, 5)...)
	if err := w.source(w.store, latest).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	w.check()
	s := w.stream(w.store)
	if err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.View(func(state *landing.State) {
		if ways := state.WaysIn(time.Now()); len(ways) != 1 || ways[0].Name != "kafka:events/1" {
			t.Errorf("the ways in are %+v, want the partition", ways)
		}
	})
}

func TestATopicMayBeginAtAnInstant(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	old, young := numbered(0, 0, 5), numbered(0, 5, 10)
	for i := range old {
		old[i].Timestamp, young[i].Timestamp = at.Add(-time.Hour), at.Add(time.Duration(i)*time.Second)
	}
	w.produce(old...)
	w.send(young...)
	since := func(o *kafka.Options) { o.Start = kafka.Start{From: kafka.StartTime, At: at} }
	if err := w.source(w.store, since).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	w.check()
}
