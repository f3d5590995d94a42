package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest"
	"strandline/landing"
)

// batch is what one commit lands: records, and how far these go in each partition.
type batch struct {
	Read
	reading *reading
	intake  *landing.Intake
	decoder *ingest.Decoder
	reads   map[at]*read
	until   time.Time // when it is to be landed
}

// read is what a batch reads of a partition: the offsets [from, to).
type read struct {
	partition Partition
	from, to  int64
	epoch     int32 // of the last record
	end       int64 // where the offsets end that could be read by then
}

// fill reads a batch: until it is full, or nothing has come for as long as a batch may
// wait. With an error there is none, and nothing to abort.
func (r *reading) fill(ctx context.Context) (*batch, error) {
	decoder, err := ingest.NewDecoder(r.stream.Spec(), r.opts.Decode)
	if err != nil {
		return nil, err
	}
	intake, err := r.stream.Begin(landing.Source{Name: r.name()})
	if err != nil {
		return nil, err
	}
	b := &batch{Read: Read{Name: r.name()}, reading: r, intake: intake, decoder: decoder, reads: map[at]*read{}, until: time.Now().Add(r.opts.Batch.Wait)}
	for !b.full() {
		if err := b.poll(ctx); err != nil {
			intake.Abort()
			return nil, err
		}
	}
	return b, nil
}

func (b *batch) full() bool {
	most := b.reading.opts.Batch
	return int(b.Records) >= most.Records || b.Bytes >= most.Bytes || !time.Now().Before(b.until)
}

// poll takes in what the brokers have by now, or the next that comes.
func (b *batch) poll(ctx context.Context) error {
	wait, cancel := context.WithDeadline(ctx, b.until)
	defer cancel()
	fetches := b.reading.client.PollRecords(wait, b.reading.opts.Batch.Records-int(b.Records))
	if err := b.reading.faultOf(ctx, wait, fetches); err != nil {
		return err
	}
	var err error
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if err == nil {
			err = b.takeAll(at{p.Topic, p.Partition}, p.FetchPartition)
		}
	})
	return err
}

func (b *batch) takeAll(a at, fetched kgo.FetchPartition) error {
	if len(fetched.Records) == 0 {
		return nil
	}
	from, given := b.reading.on(a)
	if !given {
		return fmt.Errorf("read %s: records of a partition that was not given to this process", a)
	}
	r := b.reads[a]
	if r == nil {
		r = &read{partition: b.reading.partition(a), from: from, to: from}
		b.reads[a] = r
	}
	r.end = offsetsOf(fetched).readable(b.reading.opts.Uncommitted)
	b.intake.From(r.partition.rows())
	b.intake.By(r.partition.rows())
	for _, record := range fetched.Records {
		if err := b.take(r, record); err != nil {
			return err
		}
	}
	return nil
}

// take takes in one record. One that has landed before is left out.
func (b *batch) take(r *read, record *kgo.Record) error {
	if record.Offset < r.to {
		return nil
	}
	r.to, r.epoch = record.Offset+1, record.LeaderEpoch
	if record.Attrs.IsControl() {
		return nil
	}
	b.Records++
	b.Bytes += sizeOf(record)
	if record.Value == nil {
		return b.tombstone(record)
	}
	return b.decoder.One(record.Value, contextOf(record), record.Offset, b.intake)
}

func (b *batch) tombstone(record *kgo.Record) error {
	switch b.reading.opts.Tombstones {
	case TombstoneSkip:
		b.Skipped++
		return nil
	case TombstoneReject:
		return b.intake.Reject(landing.Reject{
			SourcePosition: record.Offset, Reason: "the record has no value (a tombstone)", Context: contextOf(record),
		})
	}
	return b.decoder.One(nil, contextOf(record), record.Offset, b.intake)
}

func sizeOf(r *kgo.Record) int64 {
	size := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		size += len(h.Key) + len(h.Value)
	}
	return int64(size)
}

// commit lands the batch. With any error but log.ErrUnknown nothing of it has landed.
func (b *batch) commit(ctx context.Context) (landing.Result, error) {
	var progress []landing.Progress
	for _, r := range b.reads {
		progress = append(progress, landing.Progress{Source: r.partition.String(), From: r.from, To: r.to})
	}
	return b.intake.CommitAs(ctx, landing.Claim{Progress: progress})
}
