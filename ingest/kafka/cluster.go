package kafka

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrNoTopic says that a declared topic is not there.
var ErrNoTopic = errors.New("there is no such topic")

// ErrNoAnswer says that no broker answers.
var ErrNoAnswer = errors.New("no broker answered")

// cluster asks the brokers what they have.
type cluster struct {
	client *kgo.Client
	admin  *kadm.Client
	topics []string
	within time.Duration // how long the brokers may take to say what they have
}

func (o Options) open() (*cluster, error) {
	opts, err := o.Connection.options()
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	return &cluster{client: client, admin: kadm.NewClient(client), topics: o.Topics, within: o.Patience}, nil
}

func (c *cluster) close() { c.client.Close() }

// look returns which partitions there are, and which offsets the brokers hold of them.
func (c *cluster) look(ctx context.Context) (map[Partition]Offsets, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.within, fmt.Errorf("%w within %v", ErrNoAnswer, c.within))
	defer cancel()
	held, err := c.ask(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w (%w)", context.Cause(ctx), err)
	}
	return held, err
}

func (c *cluster) ask(ctx context.Context) (map[Partition]Offsets, error) {
	parts, err := c.partitions(ctx)
	if err != nil {
		return nil, err
	}
	starts, err := c.list(ctx, parts, c.admin.ListStartOffsets)
	if err != nil {
		return nil, err
	}
	stable, err := c.list(ctx, parts, c.admin.ListCommittedOffsets)
	if err != nil {
		return nil, err
	}
	ends, err := c.list(ctx, parts, c.admin.ListEndOffsets)
	if err != nil {
		return nil, err
	}
	held := map[Partition]Offsets{}
	for _, p := range parts {
		held[p] = Offsets{Start: starts[p], Stable: stable[p], End: ends[p]}
	}
	return held, nil
}

func (c *cluster) partitions(ctx context.Context) (all []Partition, err error) {
	meta, err := c.admin.Metadata(ctx, c.topics...)
	if err != nil {
		return nil, err
	}
	for _, topic := range c.topics {
		parts, err := partitionsOf(meta, topic)
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

func partitionsOf(meta kadm.Metadata, topic string) ([]Partition, error) {
	detail, ok := meta.Topics[topic]
	switch {
	case !ok || errors.Is(detail.Err, kerr.UnknownTopicOrPartition):
		return nil, fmt.Errorf("topic %s: %w: make it, or change the stream's topics", topic, ErrNoTopic)
	case detail.Err != nil:
		return nil, fmt.Errorf("topic %s: %w", topic, detail.Err)
	case meta.Cluster == "" || detail.ID == (kadm.TopicID{}):
		return nil, fmt.Errorf("topic %s: the brokers give no IDs to clusters and topics, so one that was made again can't be told from the one before; Kafka does since version 3.1", topic)
	}
	var parts []Partition
	for number := range detail.Partitions {
		parts = append(parts, Partition{Cluster: meta.Cluster, Topic: topic, ID: idOf(detail.ID), Number: number})
	}
	return parts, nil
}

// idOf writes a topic's ID as Kafka's own tools do.
func idOf(id [16]byte) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// rawID is the topic's ID as the protocol has it.
func (p Partition) rawID() (id [16]byte) {
	raw, err := base64.RawURLEncoding.DecodeString(p.ID)
	if err == nil {
		copy(id[:], raw)
	}
	return id
}

// list asks for one offset of each partition.
func (c *cluster) list(ctx context.Context, parts []Partition, ask func(context.Context, ...string) (kadm.ListedOffsets, error)) (map[Partition]int64, error) {
	listed, err := ask(ctx, c.topics...)
	if err != nil {
		return nil, err
	}
	offsets := map[Partition]int64{}
	for _, p := range parts {
		o, ok := listed.Lookup(p.Topic, p.Number)
		if !ok {
			return nil, fmt.Errorf("ask for the offsets of %s: the brokers did not answer for it", p.at())
		}
		if o.Err != nil {
			return nil, fmt.Errorf("ask for the offsets of %s: %w", p.at(), o.Err)
		}
		offsets[p] = o.Offset
	}
	return offsets, nil
}

// begin returns where to begin with partitions that nothing has landed of.
func (c *cluster) begin(ctx context.Context, start Start, fresh []Partition, held map[Partition]Offsets, uncommitted bool) (map[Partition]int64, error) {
	if start.From == StartTime {
		return c.list(ctx, fresh, func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
			return c.admin.ListOffsetsAfterMilli(ctx, start.At.UnixMilli(), topics...)
		})
	}
	from := map[Partition]int64{}
	for _, p := range fresh {
		from[p] = held[p].Start
		if start.From == StartLatest {
			from[p] = held[p].readable(uncommitted)
		}
	}
	return from, nil
}
