package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/landing"
)

// reading is one stay at the brokers. It ends with the first trouble, and the next one
// begins where the landing log says.
type reading struct {
	*Source
	client *kgo.Client
	topics map[string]Partition  // by name, as partition 0 of it
	held   map[Partition]Offsets // when it began
	group  bool

	mu   sync.Mutex
	from map[at]int64 // where the partitions that were given to this process are read on
}

func (s *Source) newReading(now standing, held map[Partition]Offsets) *reading {
	r := &reading{Source: s, held: held, topics: map[string]Partition{}, from: map[at]int64{}}
	for p := range now.at {
		p.Number = 0
		r.topics[p.Topic] = p
	}
	return r
}

// sessionTimeout is how long the group waits for a member that was killed before others
// get its partitions. Who is only slow meanwhile is refused by the log.
const sessionTimeout = 10 * time.Second

// join reads what the group gives to this process.
func (r *reading) join() error {
	r.group = true
	return r.connect(
		kgo.ConsumerGroup(r.opts.Group), kgo.ConsumeTopics(r.opts.Topics...),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.DisableAutoCommit(),
		kgo.SessionTimeout(sessionTimeout),
		// A batch is landed before any of its partitions goes to another member. It is no
		// more than polite: a member that is too slow for that is refused by the log.
		kgo.BlockRebalanceOnPoll(),
		kgo.AdjustFetchOffsetsFn(r.given), kgo.OnPartitionsRevoked(r.left), kgo.OnPartitionsLost(r.left),
	)
}

// take reads partitions without a group.
func (r *reading) take(from map[Partition]int64) error {
	consume := map[string]map[int32]kgo.Offset{}
	for p, offset := range from {
		if consume[p.Topic] == nil {
			consume[p.Topic] = map[int32]kgo.Offset{}
		}
		consume[p.Topic][p.Number] = kgo.NewOffset().At(offset)
		r.from[p.at()] = offset
	}
	// What emptyTo asks stands in line behind what waits for records.
	return r.connect(kgo.ConsumePartitions(consume), kgo.FetchMaxWait(r.opts.Batch.Wait))
}

func (r *reading) connect(how ...kgo.Opt) error {
	opts, err := r.opts.Connection.options()
	if err != nil {
		return err
	}
	opts = append(opts, how...)
	r.client, err = kgo.NewClient(append(opts,
		kgo.FetchIsolationLevel(r.isolation()),
		kgo.KeepControlRecords(), // so that progress goes past the markers of transactions
		// Never anywhere else than where the log says.
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxBytes(16<<20),
	)...)
	return err
}

func (r *reading) isolation() kgo.IsolationLevel {
	if r.opts.Uncommitted {
		return kgo.ReadUncommitted()
	}
	return kgo.ReadCommitted()
}

// leaveWithin is how long the brokers may take to let this process go. Where they are
// gone it goes anyway, and they notice after sessionTimeout.
const leaveWithin = 2 * time.Second

func (r *reading) close() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	r.client.AllowRebalance()
	_ = r.client.LeaveGroupContext(ctx) // there is nobody left to tell
	r.client.Close()
}

// partition is the one of that name and number that the reading began with.
func (r *reading) partition(a at) Partition {
	p := r.topics[a.topic]
	p.Number = a.number
	return p
}

// given says where to read on with partitions that the group gave to this process,
// whatever the group has committed.
func (r *reading) given(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	landed, err := r.landed(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for topic, parts := range offsets {
		for number := range parts {
			a := at{topic, number}
			p := r.partition(a)
			r.from[a] = landed[p]
			parts[number] = kgo.NewOffset().At(r.from[a])
			r.opts.Lag(topic, number, max(r.held[p].readable(r.opts.Uncommitted)-r.from[a], 0))
		}
	}
	return offsets, nil
}

// left forgets partitions that go to others.
func (r *reading) left(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for topic, numbers := range parts {
		for _, number := range numbers {
			delete(r.from, at{topic, number})
			r.opts.Left(topic, number)
		}
	}
}

// again goes to where the landing log is by now.
func (r *reading) again(ctx context.Context) error {
	landed, err := r.landed(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	to := map[string]map[int32]kgo.EpochOffset{}
	for a := range r.from {
		if to[a.topic] == nil {
			to[a.topic] = map[int32]kgo.EpochOffset{}
		}
		r.from[a] = landed[r.partition(a)]
		to[a.topic][a.number] = kgo.EpochOffset{Epoch: -1, Offset: r.from[a]}
	}
	r.client.SetOffsets(to)
	return nil
}

// on returns where a partition is read on.
func (r *reading) on(a at) (offset int64, given bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	offset, given = r.from[a]
	return offset, given
}

// faultOf is what went wrong in a poll. That wait ended is no fault.
func (r *reading) faultOf(ctx, wait context.Context, fetches kgo.Fetches) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, e := range fetches.Errors() {
		if wait.Err() != nil && errors.Is(e.Err, wait.Err()) {
			continue
		}
		if e.Topic == "" {
			return fmt.Errorf("read what group %s gives: %w", r.opts.Group, e.Err)
		}
		return fmt.Errorf("read %s: %w", at{e.Topic, e.Partition}, e.Err)
	}
	return r.otherTopic(fetches)
}

// otherTopic is an error if records are those of another topic of the same name than the
// one that the reading began with.
func (r *reading) otherTopic(fetches kgo.Fetches) error {
	for _, fetch := range fetches {
		for _, t := range fetch.Topics {
			some := slices.ContainsFunc(t.Partitions, func(p kgo.FetchPartition) bool { return len(p.Records) > 0 })
			if some && idOf(t.TopicID) != r.topics[t.Topic].ID {
				return fmt.Errorf("read %s: %w", t.Topic, kerr.UnknownTopicID)
			}
		}
	}
	return nil
}

// land commits a batch. Where the log is elsewhere by now, nothing of it has landed,
// and reading goes on from there.
func (r *reading) land(ctx context.Context, b *batch) error {
	result, err := b.commit(ctx)
	if errors.Is(err, landing.ErrMoved) {
		return r.again(ctx)
	}
	if err != nil {
		return err
	}
	r.went(b)
	r.hint(ctx, b)
	for a, read := range b.reads {
		r.opts.Lag(a.topic, a.number, max(read.end-read.to, 0))
	}
	return r.opts.Landed(result, b.Read)
}

func (r *reading) went(b *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for a, read := range b.reads {
		r.from[a] = read.to
	}
}

// hint commits to the group what has landed, for those who look at groups.
func (r *reading) hint(ctx context.Context, b *batch) {
	if !r.group {
		return
	}
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for a, read := range b.reads {
		if offsets[a.topic] == nil {
			offsets[a.topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[a.topic][a.number] = kgo.EpochOffset{Epoch: read.epoch, Offset: read.to}
	}
	r.client.CommitOffsets(ctx, offsets, nil)
}
