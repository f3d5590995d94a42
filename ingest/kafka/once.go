package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Once lands what the topics hold when it begins, and maybe some of what comes
// meanwhile, and ends. It joins no group, and may run while others do.
func (s *Source) Once(ctx context.Context) error {
	c, err := s.opts.open()
	if err != nil {
		return err
	}
	defer c.close()
	now, held, err := s.stand(ctx, c)
	if err != nil {
		return err
	}
	from, ends := map[Partition]int64{}, map[Partition]int64{}
	for p, offset := range now.at {
		if end := held[p].readable(s.opts.Uncommitted); offset < end {
			from[p], ends[p] = offset, end
		}
	}
	if len(ends) == 0 {
		return nil
	}
	r := s.newReading(now, held)
	if err := r.take(from); err != nil {
		return err
	}
	defer r.close()
	return r.drain(ctx, ends)
}

// drain reads until each partition has been read up to its end.
func (r *reading) drain(ctx context.Context, ends map[Partition]int64) error {
	for len(ends) > 0 {
		b, err := r.fill(ctx)
		if err != nil {
			return err
		}
		if len(b.reads) > 0 {
			err = r.land(ctx, b)
		} else {
			err = r.passEmpty(ctx, ends)
		}
		b.intake.Abort()
		if err != nil {
			return err
		}
		r.leaveOut(ends)
	}
	return nil
}

// leaveOut leaves the partitions that have been read to their end out of ends. No more is
// asked of any that is not in there: what keeps coming in one must not keep the reading
// from its end, nor hide that another one has no more.
func (r *reading) leaveOut(ends map[Partition]int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	read := map[string][]int32{}
	for a, offset := range r.from {
		p := r.partition(a)
		if end, more := ends[p]; more && offset < end {
			continue
		}
		delete(ends, p)
		read[a.topic] = append(read[a.topic], a.number)
	}
	r.client.PauseFetchPartitions(read)
}

// passEmpty leaves out of ends the partitions that have no record up to there: it was
// compacted away, or belongs to a transaction that was aborted.
func (r *reading) passEmpty(ctx context.Context, ends map[Partition]int64) error {
	for p, end := range ends {
		empty, err := r.emptyTo(ctx, p, end)
		if err != nil {
			return err
		}
		if empty {
			delete(ends, p)
		}
	}
	return nil
}

// emptyTo asks the partition's leader whether it has no record from where the partition
// is read on up to end.
func (r *reading) emptyTo(ctx context.Context, p Partition, end int64) (bool, error) {
	offset, _ := r.on(p.at())
	for offset < end {
		fetched, next, err := r.fetch(ctx, p, offset)
		if kerr.IsRetriable(err) {
			return false, nil // the leader changes: it is for the client to find the next one
		}
		if err != nil {
			return false, fmt.Errorf("read %s from offset %d: %w", p.at(), offset, err)
		}
		if len(fetched.Records) > 0 {
			return false, nil
		}
		if next <= offset { // not a batch follows, and there would be one of what can be read
			return offsetsOf(fetched).readable(r.opts.Uncommitted) >= end, nil
		}
		offset = next
	}
	return true, nil
}

// fetch asks the leader of a partition for what begins at offset. next is where the
// answer ends, also where it has no record.
func (r *reading) fetch(ctx context.Context, p Partition, offset int64) (fetched kgo.FetchPartition, next int64, err error) {
	leader, _, err := r.client.PartitionLeader(p.Topic, p.Number)
	if err != nil {
		return fetched, 0, err
	}
	if leader < 0 {
		return fetched, 0, kerr.LeaderNotAvailable // or the client does not know it yet
	}
	response, err := r.client.Broker(int(leader)).RetriableRequest(ctx, r.fetchRequest(p, offset))
	if err != nil {
		return fetched, 0, err
	}
	for _, t := range response.(*kmsg.FetchResponse).Topics {
		for i := range t.Partitions {
			fetched, next = kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
				Offset: offset, IsolationLevel: r.isolation(), Topic: p.Topic, Partition: p.Number,
			}, &t.Partitions[i], kgo.DefaultDecompressor(), nil)
			return fetched, next, fetched.Err
		}
	}
	return fetched, 0, fmt.Errorf("broker %d did not answer for it", leader)
}

// fetchRequest asks for what begins at offset, and an answer at once.
func (r *reading) fetchRequest(p Partition, offset int64) *kmsg.FetchRequest {
	part := kmsg.NewFetchRequestTopicPartition()
	part.Partition, part.FetchOffset, part.PartitionMaxBytes = p.Number, offset, 1<<20
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = p.Topic, p.rawID()
	topic.Partitions = append(topic.Partitions, part)
	req := kmsg.NewPtrFetchRequest()
	req.ReplicaID, req.SessionEpoch, req.MaxBytes = -1, -1, 1<<20
	if !r.opts.Uncommitted {
		req.IsolationLevel = 1
	}
	req.Topics = append(req.Topics, topic)
	return req
}
