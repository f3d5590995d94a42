package kafka_test

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest/kafka"
	"strandline/landing"
)

// hollow makes the topic, with a partition 0 that has two offsets and no record in them:
// compaction has removed all. After them is a transaction, which commit ends.
func (w *world) hollow(partitions int32) (commit func()) {
	w.t.Helper()
	policy, at := "compact", "0"
	config := map[string]*string{"cleanup.policy": &policy, "delete.retention.ms": &at}
	if _, err := w.admin.CreateTopic(context.Background(), partitions, 1, config, "events"); err != nil {
		w.t.Fatal(err)
	}
	w.produce(&kgo.Record{Key: []byte("k"), Value: []byte(`{}`)})
	w.produce(&kgo.Record{Key: []byte("k")})
	client := w.dial(kgo.TransactionalID("open"))
	if err := client.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	open := numbered(0, 0, 5)
	if err := client.ProduceSync(context.Background(), open...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
	w.cluster.Compact()
	return func() {
		if err := client.EndTransaction(context.Background(), kgo.TryCommit); err != nil {
			w.t.Fatal(err)
		}
		for _, r := range open {
			w.sent = append(w.sent, expected(r))
		}
	}
}

func TestAnEndWithoutARecordIsReached(t *testing.T) {
	w := newWorld(t)
	commit := w.hollow(2)
	w.send(numbered(1, 0, 5)...)
	for range 2 {
		if err := w.drain(); err != nil {
			t.Fatal(err)
		}
		w.check()
	}
	commit()
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	w.check()
}

// What comes all the time in one partition must not keep land from its end.
func TestATopicThatNeverRestsIsDrainedUpToWhatItHeld(t *testing.T) {
	w := newWorld(t)
	w.hollow(2)
	w.send(numbered(1, 0, 5)...)
	next := 5
	err := w.source(w.store, func(o *kafka.Options) {
		o.Landed = func(landing.Result, kafka.Read) error {
			w.send(numbered(1, next, next+5)...)
			next += 5
			return nil
		}
	}).Once(w.context())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	w.check()
}
