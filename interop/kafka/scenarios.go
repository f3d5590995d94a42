package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// refused is the exit code of what would have broken a guarantee.
const refused = 4

func transactions(ctx context.Context, w *world) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(w.broker.plain), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID(w.topic))
	if err != nil {
		return err
	}
	defer client.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		records := w.records(30)
		if err := client.BeginTransaction(); err != nil {
			return err
		}
		if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
			return err
		}
		if err := client.EndTransaction(ctx, end); err != nil {
			return err
		}
		if end == kgo.TryCommit {
			w.expect(records)
		}
		if err := w.land(ctx, 0); err != nil {
			return fmt.Errorf("after transaction %d: %w", i, err)
		}
	}
	return w.check(ctx)
}

func authenticated(ctx context.Context, w *world) error {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-512"} {
		if err := w.send(ctx, 10); err != nil {
			return err
		}
		more := fmt.Sprintf(`, tls: {ca: "%s"}, sasl: {mechanism: %s, username: %s, password: "${KAFKA_PASSWORD}"}`, w.broker.ca(), mechanism, user)
		if err := w.configure(w.broker.authd, more); err != nil {
			return err
		}
		if err := w.land(ctx, 0); err != nil {
			return err
		}
	}
	return w.check(ctx)
}

func removed(ctx context.Context, w *world) error {
	if err := w.send(ctx, 30); err != nil {
		return err
	}
	if err := w.land(ctx, 0); err != nil {
		return err
	}
	if err := w.client.ProduceSync(ctx, w.records(30)...).FirstErr(); err != nil {
		return err
	}
	var offsets kadm.Offsets
	for p := range int32(partitions) {
		offsets.Add(kadm.Offset{Topic: w.topic, Partition: p, At: 20, LeaderEpoch: -1})
	}
	if _, err := w.admin.DeleteRecords(ctx, offsets); err != nil {
		return err
	}
	return w.accepted(ctx)
}

func recreated(ctx context.Context, w *world) error {
	if err := w.send(ctx, 30); err != nil {
		return err
	}
	if err := w.land(ctx, 0); err != nil {
		return err
	}
	if _, err := w.admin.DeleteTopic(ctx, w.topic); err != nil {
		return err
	}
	for { // it goes in the background
		if _, err := w.admin.CreateTopic(ctx, partitions, 1, nil, w.topic); err == nil {
			break
		} else if ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.client.Close()
	if err := w.dial(); err != nil {
		return err
	}
	return w.accepted(ctx)
}

// accepted sends more, and has it land only once somebody accepts what was lost before.
func (w *world) accepted(ctx context.Context) error {
	if err := w.send(ctx, 60); err != nil {
		return err
	}
	if err := w.land(ctx, refused); err != nil {
		return err
	}
	if err := w.land(ctx, 0, "--accept-gap"); err != nil {
		return err
	}
	return w.check(ctx)
}

func kills(ctx context.Context, w *world) error {
	for round := range 6 {
		// Each time in a group of its own, which need not wait until the member that was
		// killed is given up. It is the landing log that says where to read on.
		if err := w.configure(w.broker.plain, fmt.Sprintf(", group: g%d-%s", round, w.topic)); err != nil {
			return err
		}
		running, err := w.run(ctx)
		if err != nil {
			return err
		}
		for range 5 + 3*round { // so that the kill comes at another moment each time
			if err := w.send(ctx, 30); err != nil {
				return err
			}
		}
		if err := running.kill(); err != nil {
			return err
		}
	}
	if err := w.land(ctx, 0); err != nil {
		return err
	}
	return w.check(ctx)
}

func brokerKills(ctx context.Context, w *world) error {
	running, err := w.run(ctx)
	if err != nil {
		return err
	}
	for range 2 {
		if err := w.send(ctx, 300); err != nil {
			return err
		}
		w.broker.kill()
		if err := w.broker.start(ctx); err != nil {
			return err
		}
		if err := w.send(ctx, 300); err != nil {
			return err
		}
		if err := running.landing(ctx); err != nil {
			return err
		}
	}
	if err := running.kill(); err != nil {
		return err
	}
	if err := w.land(ctx, 0); err != nil {
		return err
	}
	return w.check(ctx)
}
