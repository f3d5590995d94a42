package kafka_test

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest/kafka"
)

// transact produces records in a transaction, and ends it.
func (w *world) transact(end kgo.TransactionEndTry, records ...*kgo.Record) {
	w.t.Helper()
	client := w.dial(kgo.TransactionalID("t"))
	if err := client.BeginTransaction(); err != nil {
		w.t.Fatal(err)
	}
	if err := client.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
	if err := client.EndTransaction(context.Background(), end); err != nil {
		w.t.Fatal(err)
	}
	if end == kgo.TryCommit {
		for _, r := range records {
			w.sent = append(w.sent, expected(r))
		}
	}
}

func TestTransactionsLandOnceTheyAreCommittedAndNeverIfAborted(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(2, "events"))
	w.transact(kgo.TryCommit, numbered(0, 0, 5)...)
	w.transact(kgo.TryAbort, numbered(0, 5, 10)...)
	w.send(numbered(0, 10, 15)...)
	w.transact(kgo.TryAbort, numbered(1, 0, 5)...) // and nothing after it
	for range 2 {
		if err := w.drain(); err != nil {
			t.Fatal(err)
		}
		w.check()
	}
}

func TestAnOpenTransactionIsWaitedForAndHidesWhatComesAfterIt(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	client := w.dial(kgo.TransactionalID("open"))
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	open := numbered(0, 0, 5)
	if err := client.ProduceSync(context.Background(), open...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	after := w.produce(numbered(0, 5, 10)...)
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	w.check() // nothing is to be there
	if err := client.EndTransaction(context.Background(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	for _, r := range append(open, after...) {
		w.sent = append(w.sent, expected(r))
	}
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	w.check()
}

func TestUncommittedRecordsLandWhereThatIsAskedFor(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	aborted := numbered(0, 0, 5)
	w.transact(kgo.TryAbort, aborted...)
	for _, r := range aborted {
		w.sent = append(w.sent, expected(r))
	}
	if err := w.source(w.store, func(o *kafka.Options) { o.Uncommitted = true }).Once(w.context()); err != nil {
		t.Fatal(err)
	}
	w.check()
}

func TestGapsThatCompactionLeavesAreNormal(t *testing.T) {
	w := newWorld(t)
	compact := "compact"
	if _, err := w.admin.CreateTopic(context.Background(), 1, 1, map[string]*string{"cleanup.policy": &compact}, "events"); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		for i, r := range numbered(0, round*5, round*5+5) {
			r.Key = []byte{byte('a' + i)}
			w.produce(r)
		}
	}
	w.cluster.Compact()
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	ends, err := kadm.NewClient(w.client).ListEndOffsets(context.Background(), "events")
	if err != nil {
		t.Fatal(err)
	}
	end, _ := ends.Lookup("events", 0)
	if rows := w.rows(); len(rows) >= 15 || len(rows) < 5 || rows[len(rows)-1].offset != end.Offset-1 {
		t.Errorf("of 15 records with 5 keys there landed %v", rows)
	}
}
