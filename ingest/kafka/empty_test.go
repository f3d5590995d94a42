package kafka_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest/kafka"
	"strandline/landing"
)

// hollow makes the topic. Its partition 0 has one record, two offsets without one, since
// compaction has removed them, and then a transaction, which commit ends.
func (w *world) hollow(partitions int32) (commit func()) {
	w.t.Helper()
	policy, at := "compact", "0"
	config := map[string]*string{"cleanup.policy": &policy, "delete.retention.ms": &at}
	if _, err := w.admin.CreateTopic(context.Background(), partitions, 1, config, "events"); err != nil {
		w.t.Fatal(err)
	}
	kept := numbered(0, 0, 1)
	kept[0].Key = []byte("kept")
	w.produce(kept...)
	w.sent = append(w.sent, expected(kept[0]))
	w.sent[0].key = "kept"
	w.produce(&kgo.Record{Key: []byte("k"), Value: []byte(`{}`)})
	w.produce(&kgo.Record{Key: []byte("k")})
	client := w.dial(kgo.TransactionalID("open"))
	if err := client.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	open := numbered(0, 1, 6)
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
		o.Batch.Wait = 300 * time.Millisecond // long enough that no batch is empty while something comes
		o.Landed = func(landing.Result, kafka.Read) error {
			if next > 30 {
				return errors.New("what comes meanwhile keeps it from its end")
			}
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
